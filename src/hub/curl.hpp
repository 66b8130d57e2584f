// libcurl's handles, owned.
#pragma once

#include <curl/curl.h>

#include <memory>

namespace godwit {

struct CurlDeleter {
    void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using CurlEasy = std::unique_ptr<CURL, CurlDeleter>;
using CurlList = std::unique_ptr<curl_slist, CurlDeleter>;

struct CurlMultiDeleter {
    void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};
using CurlMulti = std::unique_ptr<CURLM, CurlMultiDeleter>;

/// New handles; the library is set up with the first one. Any thread.
CurlEasy make_curl_easy();
CurlMulti make_curl_multi();
/// Appends a line; without memory the list stays as it was.
void append(CurlList& list, const char* line);

}  // namespace godwit

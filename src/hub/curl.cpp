#include "hub/curl.hpp"

#include "base/check.hpp"

namespace godwit {
namespace {

void set_up_library() {
    static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
    CHECK(code == CURLE_OK);
}

}  // namespace

CurlEasy make_curl_easy() {
    set_up_library();
    CurlEasy easy(curl_easy_init());
    CHECK(easy != nullptr);
    curl_easy_setopt(easy.get(), CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy.get(), CURLOPT_PROTOCOLS_STR, "http,https");
    return easy;
}

CurlMulti make_curl_multi() {
    set_up_library();
    CurlMulti multi(curl_multi_init());
    CHECK(multi != nullptr);
    return multi;
}

void append(CurlList& list, const char* line) {
    if (curl_slist* longer = curl_slist_append(list.get(), line)) {
        (void)list.release();
        list.reset(longer);
    }
}

}  // namespace godwit

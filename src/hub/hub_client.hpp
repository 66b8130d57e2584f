// What a Hugging Face style hub is asked over HTTP: the files of a repository, what one of them is, its bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "hub/variants.hpp"

namespace godwit {

struct HubOptions {
    std::string url;                               // "https://huggingface.co", or a mirror
    std::string token;                             // empty: none. Goes to the hub's own host, scheme and port only
    std::function<void(const std::string&)> note;  // what a person should know meanwhile: a retry, a wait

    /// `url` (empty: HF_ENDPOINT, or huggingface.co) and the user's token: HF_TOKEN, or the file at HF_TOKEN_PATH or in
    /// Hugging Face's folder. Errors: no http(s) address, a token with blanks or controls in it.
    static Result<HubOptions> from_environment(const std::string& url);
};

/// A file as the hub describes it.
struct FileFacts {
    std::string commit;    // 40 hexadecimal digits
    std::string checksum;  // see Checksum; it is also the file's "etag"
    uint64_t bytes = 0;
};

/// How an attempt to get bytes ended.
struct FetchEnd {
    std::optional<Error> failure;
    bool is_final = false;      // the failure will come again
    bool is_unreached = false;  // there was no connection
};

/// Where the bytes of a file go.
struct FetchSink {
    /// Called once, before write(), with the place of the first byte: the one that was asked for, or 0 where the hub
    /// cannot begin in the middle.
    std::function<Result<void>(uint64_t)> begin;
    std::function<Result<void>(std::span<const char>)> write;
};

/// One thread. Temporary failures (network, 408, 429, 5xx) of all but fetch() are tried again, a bounded number of
/// times.
class HubClient {
public:
    explicit HubClient(const HubOptions& options) : options_(options) {}

    /// A repository's name as the hub spells it: names in another case and former names lead to it. The name as it was
    /// given where the hub does not say. Error: no answer; at once where the hub cannot be reached at all.
    Result<std::string> own_name(const std::string& repo) const;
    /// All files of a revision's tree. Errors: no such repository, no access, no answer, a tree beyond all measure.
    Result<std::vector<RepoFile>> list_files(const std::string& repo, const std::string& revision) const;
    /// Errors: as above; the hub names no commit, checksum or size.
    Result<FileFacts> look_up(const std::string& repo, const std::string& revision, const std::string& path) const;
    /// One attempt to get a file from byte `from` on.
    FetchEnd fetch(const std::string& repo, const FileFacts& facts, const std::string& path, uint64_t from,
                   const FetchSink& sink) const;

private:
    const HubOptions& options_;
};

/// After the failed attempt number `attempt`, from 1: whether to try again. If so, a note has been given, and the wait
/// is over (0.25 s, then twice as long each time); if not, the failure was final or this attempt the last.
bool wait_to_retry(const HubOptions& options, const FetchEnd& end, int attempt);

}  // namespace godwit

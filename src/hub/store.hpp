// The folder of downloaded models. It is the cache of Hugging Face's own tools, laid out as their page "Hub local
// cache" says, so that what one of them has downloaded the others find:
//     models--ORG--NAME/blobs/CHECKSUM                   contents
//     models--ORG--NAME/snapshots/COMMIT/path/to/file    links to them
//     models--ORG--NAME/refs/main                        the latest commit
//     .locks/models--ORG--NAME/CHECKSUM.lock             held (flock) while a blob is written
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "hub/variants.hpp"

namespace godwit {

/// Hugging Face's folder: $HF_HOME, or huggingface in the user's cache folder. Empty: there is no home.
std::string hugging_face_home();
/// Whether a text is the name of a commit: 40 hexadecimal digits in lower case.
bool is_commit(const std::string& text);

/// A model of the store.
struct StoredModel {
    std::string repo, commit;
    Variant variant;
    std::filesystem::path folder;  // of the snapshot: the variant's paths are relative to it
    int64_t pulled = 0;            // when its first file was downloaded, in seconds since 1970

    std::string name() const { return full_name(repo, variant); }
    std::string path() const { return (folder / variant.files.front().path).string(); }
    bool complete() const { return variant.files.size() == variant.parts; }
};

/// A file of the store that goes with a model of its repository.
struct StoredHelper {
    std::string repo, path;
    uint64_t bytes = 0;
    std::string_view kind;
};

/// What is in the store.
struct StoreList {
    std::vector<StoredModel> models;  // by repository, those of its latest commit first; one may be in several commits
    std::vector<StoredHelper> helpers;  // by repository
};

/// One writer of a blob at a time, in all programs. Let go by the destructor.
class BlobLock {
public:
    BlobLock() = default;
    BlobLock(BlobLock&& other) noexcept;
    BlobLock& operator=(BlobLock&&) = delete;
    ~BlobLock();

private:
    friend class Store;
    int fd_ = -1;
};

class Store {
public:
    /// $HF_HUB_CACHE, or hub in hugging_face_home(). Need not exist. Error: there is no home.
    static Result<Store> open();

    const std::filesystem::path& root() const { return root_; }
    std::filesystem::path blob(const std::string& repo, const std::string& checksum) const;

    /// Makes the blob's folder too. While another holds it, `on_wait` is called and this waits; where it is not
    /// `patient`, it does not wait: Error.
    Result<BlobLock> lock(const std::string& repo, const std::string& checksum, bool patient,
                          const std::function<void()>& on_wait = {}) const;
    /// Shows a blob as a file of a snapshot.
    Result<void> link(const std::string& repo, const std::string& commit, const std::string& path,
                      const std::string& checksum) const;
    /// Remembers the latest commit.
    Result<void> set_main(const std::string& repo, const std::string& commit) const;

    StoreList list() const;
    /// The repository may be spelled with other cases of letters. Error: not there, not complete.
    Result<StoredModel> find(ModelName name) const;
    /// A model of which all files are linked.
    StoredModel stored(const std::string& repo, const std::string& commit, const Variant& variant) const;
    /// Removes a model from all snapshots, and the blobs that no other file links to; of a repository that has no
    /// model, or none any more, its helpers and what interrupted downloads have left as well. Returns the bytes freed.
    /// Errors: not there, several are meant, a download holds it.
    Result<uint64_t> remove(ModelName name) const;

private:
    struct Snapshot {
        std::string commit;
        std::filesystem::path folder;
        RepoModels models;
    };
    /// Of the latest commit first, then the newest.
    std::vector<Snapshot> snapshots(const std::string& repo) const;
    explicit Store(std::filesystem::path root) : root_(std::move(root)) {}
    std::filesystem::path repo_folder(const std::string& repo) const;
    static std::string repo_of(const std::string& folder);
    /// The repository as its folder spells it, if there is one; otherwise as it was given.
    std::string spelling(const std::string& repo) const;
    Result<uint64_t> remove_file(const std::string& repo, const Snapshot& snapshot, const RepoFile& file) const;
    /// What no download is writing. The bytes freed.
    uint64_t remove_incomplete(const std::string& repo) const;

    std::filesystem::path root_;
};

}  // namespace godwit

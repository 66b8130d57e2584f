#include "hub/pull.hpp"

#include <algorithm>

#include "base/printable.hpp"
#include "hub/blob_file.hpp"
#include "hub/quantisation.hpp"

namespace godwit {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRevision = "main";

/// One model on its way.
class Pull {
public:
    Pull(const Store& store, const HubOptions& hub, std::string repo, const PullProgress& progress)
        : store_(store), hub_(hub), client_(hub), repo_(std::move(repo)), progress_(progress) {}

    Result<StoredModel> run(const Variant& variant) {
        TRY(look_up(variant));
        TRY(check_room(variant));
        for (size_t i = 0; i < variant.files.size(); ++i) TRY(get(variant.files[i].path, facts_[i]));
        const std::string& commit = facts_.front().commit;
        for (size_t i = 0; i < variant.files.size(); ++i)
            TRY(store_.link(repo_, commit, variant.files[i].path, facts_[i].checksum));
        TRY(store_.set_main(repo_, commit));
        return store_.stored(repo_, commit, variant);
    }

private:
    /// All files as of one commit.
    Result<void> look_up(const Variant& variant) {
        for (const RepoFile& file : variant.files) {
            const std::string& revision = facts_.empty() ? kRevision : facts_.front().commit;
            facts_.push_back(TRY(client_.look_up(repo_, revision, file.path)));
            if (facts_.back().commit != facts_.front().commit)
                return error("{}: the hub answers with another commit than the one that was asked for", repo_);
            total_ += facts_.back().bytes;
        }
        return done();
    }

    Result<void> check_room(const Variant& variant) const {
        uint64_t missing = 0;
        for (const FileFacts& facts : facts_) {
            std::error_code failure;
            fs::path blob = store_.blob(repo_, facts.checksum), part = fs::path(blob) += ".incomplete";
            if (fs::exists(blob, failure)) continue;
            uint64_t there = fs::file_size(part, failure);
            missing += facts.bytes - (failure ? 0 : std::min(there, facts.bytes));
        }
        fs::path folder = store_.root();
        std::error_code failure;
        while (!fs::exists(folder, failure) && folder.has_relative_path()) folder = folder.parent_path();
        fs::space_info space = fs::space(folder, failure);
        if (!failure && space.available < missing)
            return error("{}: {} bytes are missing and {} are free in {} (HF_HUB_CACHE chooses another place)",
                         full_name(repo_, variant), missing, space.available, printable(folder.string(), 500));
        return done();
    }

    /// One file, unless it is there.
    Result<void> get(const std::string& path, const FileFacts& facts) {
        fs::path blob = store_.blob(repo_, facts.checksum);
        BlobLock lock = TRY(store_.lock(repo_, facts.checksum, true,
                                        [&] { hub_.note("another download holds " + path + "; waiting for it"); }));
        std::error_code failure;
        if (fs::file_size(blob, failure) != facts.bytes || failure) {
            BlobFile file = TRY(BlobFile::open(blob, facts));
            TRY(fill(file, path, facts));
            Result<void> result = file.finish();
            if (!result.ok()) return error("{}/{}: {}", repo_, path, result.error().message);
        }
        before_ += facts.bytes;
        progress_(before_, total_);
        return done();
    }

    /// Attempts until all bytes are there; those that bring some are not counted.
    Result<void> fill(BlobFile& file, const std::string& path, const FileFacts& facts) {
        FetchSink sink{[&](uint64_t first) { return first == 0 ? file.restart() : done(); },
                       [&](std::span<const char> data) -> Result<void> {
                           TRY(file.write(data));
                           progress_(before_ + file.size(), total_);
                           return done();
                       }};
        uint64_t furthest = file.size();
        for (int tried = 1; file.size() < facts.bytes; ++tried) {
            FetchEnd end = client_.fetch(repo_, facts, path, file.size(), sink);
            if (!end.failure) continue;
            if (file.size() > furthest) tried = 1, furthest = file.size();
            if (!wait_to_retry(hub_, end, tried)) return *end.failure;
        }
        return done();
    }

    const Store& store_;
    const HubOptions& hub_;
    HubClient client_;
    std::string repo_;
    const PullProgress& progress_;
    std::vector<FileFacts> facts_;  // of the variant's files
    uint64_t before_ = 0, total_ = 0;
};

}  // namespace

Result<StoredModel> pull_model(const Store& store, const HubOptions& hub, const ModelName& name,
                               const PullProgress& progress) {
    std::string repo = TRY(HubClient(hub).own_name(name.repo));
    RepoModels models = models_of(TRY(HubClient(hub).list_files(repo, kRevision)));
    Variant variant = TRY(choose_variant(models, {repo, name.tag}));
    if (name.tag.empty() && !may_run(variant.quantisation))
        return error("{}: no type of weights that this version runs (to get one all the same, name it: {})", repo,
                     full_name(repo, variant));
    if (!models.helpers.empty()) hub.note("left out: " + listed(models.helpers));
    return Pull(store, hub, repo, progress).run(variant);
}

}  // namespace godwit

#include "hub/store.hpp"

#include <fcntl.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>
#include <set>
#include <tuple>

#include "base/ascii.hpp"
#include "base/environment.hpp"
#include "base/first_line.hpp"
#include "base/printable.hpp"

namespace godwit {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "models--", kJoint = "--";

std::string shown(const fs::path& path) { return printable(path.string(), 500); }

Result<void> make_folder(const fs::path& path) {
    std::error_code failure;
    fs::create_directories(path, failure);
    if (failure)
        return error("{}: cannot create this folder: {} (HF_HUB_CACHE chooses another place)", shown(path),
                     failure.message());
    return done();
}

/// Puts what `make` makes under a temporary name in the place of `path`, at once.
template <class Make>
Result<void> replace(const fs::path& path, Make make) {
    TRY(make_folder(path.parent_path()));
    fs::path part = path;
    part += fmt::format(".{}.tmp", ::getpid());
    std::error_code failure;
    fs::remove(part, failure);
    make(part, failure);
    if (!failure) fs::rename(part, path, failure);
    if (!failure) return done();
    std::error_code ignored;
    fs::remove(part, ignored);
    return error("{}: cannot write: {}", shown(path), failure.message());
}

std::vector<fs::path> entries(const fs::path& folder) {
    std::vector<fs::path> paths;
    std::error_code failure;
    for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure))
        paths.push_back(at->path());
    std::sort(paths.begin(), paths.end());
    return paths;
}

/// The files below a folder, links among them, that exist. Paths are relative to it.
std::vector<RepoFile> files_below(const fs::path& folder) {
    std::vector<RepoFile> files;
    std::error_code failure;
    for (fs::recursive_directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure)) {
        struct stat status{};
        if (::stat(at->path().c_str(), &status) == 0 && S_ISREG(status.st_mode))
            files.push_back({at->path().lexically_relative(folder).string(), static_cast<uint64_t>(status.st_size)});
    }
    return files;
}

int64_t modified(const fs::path& path) {
    struct stat status{};
    return ::stat(path.c_str(), &status) == 0 ? static_cast<int64_t>(status.st_mtime) : 0;
}

/// What a link of a snapshot points to, or the file itself where there is no link.
fs::path target_of(const fs::path& link) {
    std::error_code failure;
    fs::path target = fs::read_symlink(link, failure);
    return failure ? link : (link.parent_path() / target).lexically_normal();
}

/// Removes a folder and those above it, as long as they are empty, up to `top` and that one too.
void remove_empty(fs::path folder, const fs::path& top) {
    std::error_code failure;
    while (fs::remove(folder, failure) && folder != top) folder = folder.parent_path();
}

}  // namespace

std::string hugging_face_home() {
    if (std::string home = environment("HF_HOME"); !home.empty()) return home;
    if (std::string cache = environment("XDG_CACHE_HOME"); !cache.empty()) return cache + "/huggingface";
    std::string home = environment("HOME");
    return home.empty() ? "" : home + "/.cache/huggingface";
}

bool is_commit(const std::string& text) {
    auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    return text.size() == 40 && std::all_of(text.begin(), text.end(), is_hex);
}

BlobLock::BlobLock(BlobLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

BlobLock::~BlobLock() {
    if (fd_ >= 0) ::close(fd_);
}

Result<Store> Store::open() {
    std::string root = environment("HF_HUB_CACHE"), home = hugging_face_home();
    if (root.empty() && home.empty()) return error("no folder for models: neither HOME nor HF_HUB_CACHE is set");
    return Store(fs::absolute(root.empty() ? home + "/hub" : root).lexically_normal());
}

fs::path Store::repo_folder(const std::string& repo) const {
    std::string name(kPrefix);
    for (char c : repo) name += c == '/' ? std::string(kJoint) : std::string(1, c);
    return root_ / name;
}

fs::path Store::blob(const std::string& repo, const std::string& checksum) const {
    return repo_folder(repo) / "blobs" / checksum;
}

Result<BlobLock> Store::lock(const std::string& repo, const std::string& checksum, bool patient,
                             const std::function<void()>& on_wait) const {
    fs::path path = root_ / ".locks" / repo_folder(repo).filename() / (checksum + ".lock");
    TRY(make_folder(path.parent_path()));
    TRY(make_folder(blob(repo, checksum).parent_path()));
    for (;;) {
        BlobLock lock;
        lock.fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0664);
        if (lock.fd_ < 0) return error("{}: cannot open: {}", shown(path), std::strerror(errno));
        bool is_held = ::flock(lock.fd_, LOCK_EX | LOCK_NB) == 0;
        if (!is_held && errno == EWOULDBLOCK && patient) {
            if (on_wait) on_wait();
            while (!(is_held = ::flock(lock.fd_, LOCK_EX) == 0) && errno == EINTR) {
            }
        }
        if (!is_held)
            return error("{}: cannot lock: {}", shown(path),
                         errno == EWOULDBLOCK ? "a download holds it" : std::strerror(errno));
        // Hugging Face's tools remove the file when they are done: only one that still has its name keeps others out.
        struct stat held{}, named{};
        if (::fstat(lock.fd_, &held) == 0 && ::stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
            held.st_dev == named.st_dev)
            return lock;
    }
}

Result<void> Store::link(const std::string& repo, const std::string& commit, const std::string& path,
                         const std::string& checksum) const {
    fs::path place = repo_folder(repo) / "snapshots" / commit / path;
    fs::path target = blob(repo, checksum).lexically_relative(place.parent_path());
    return replace(place,
                   [&](const fs::path& part, std::error_code& failure) { fs::create_symlink(target, part, failure); });
}

Result<void> Store::set_main(const std::string& repo, const std::string& commit) const {
    return replace(repo_folder(repo) / "refs" / "main", [&](const fs::path& part, std::error_code& failure) {
        std::ofstream file(part, std::ios::binary);
        if (!(file << commit) || !file.flush()) failure = std::make_error_code(std::errc::io_error);
    });
}

std::vector<Store::Snapshot> Store::snapshots(const std::string& repo) const {
    fs::path folder = repo_folder(repo);
    std::string main = first_line(folder / "refs" / "main");
    std::vector<Snapshot> found;
    for (const fs::path& path : entries(folder / "snapshots"))
        found.push_back({path.filename().string(), path, models_of(files_below(path))});
    auto age = [&](const Snapshot& snapshot) {
        return std::tuple(snapshot.commit != main, -modified(snapshot.folder), std::string_view(snapshot.commit));
    };
    std::sort(found.begin(), found.end(), [&](const Snapshot& a, const Snapshot& b) { return age(a) < age(b); });
    return found;
}

/// "models--ORG--NAME" → "ORG/NAME"; empty: another folder.
std::string Store::repo_of(const std::string& folder) {
    size_t joint = folder.find(kJoint, kPrefix.size());
    if (!folder.starts_with(kPrefix) || joint == folder.npos) return {};
    std::string repo =
        folder.substr(kPrefix.size(), joint - kPrefix.size()) + "/" + folder.substr(joint + kJoint.size());
    return parse_model_name(repo).ok() ? repo : "";
}

std::string Store::spelling(const std::string& repo) const {
    std::error_code failure;
    if (fs::exists(repo_folder(repo), failure)) return repo;
    for (const fs::path& folder : entries(root_))
        if (std::string known = repo_of(folder.filename()); lower_case(known) == lower_case(repo)) return known;
    return repo;
}

StoreList Store::list() const {
    StoreList list;
    for (const fs::path& folder : entries(root_)) {
        std::string repo = repo_of(folder.filename());
        if (repo.empty()) continue;
        for (const Snapshot& snapshot : snapshots(repo)) {
            for (const Variant& variant : snapshot.models.variants)
                list.models.push_back(stored(repo, snapshot.commit, variant));
            for (const Helper& helper : snapshot.models.helpers)
                list.helpers.push_back({repo, snapshot.folder / helper.file.path, helper.file.bytes, helper.kind});
        }
    }
    return list;
}

StoredModel Store::stored(const std::string& repo, const std::string& commit, const Variant& variant) const {
    fs::path folder = repo_folder(repo) / "snapshots" / commit;
    return {repo, commit, variant, folder, modified(target_of(folder / variant.files.front().path))};
}

Result<StoredModel> Store::find(ModelName name) const {
    name.repo = spelling(name.repo);
    std::optional<Error> failure;
    for (const Snapshot& snapshot : snapshots(name.repo)) {
        Result<Variant> variant = choose_variant(snapshot.models, name);
        if (variant.ok()) return stored(name.repo, snapshot.commit, variant.value());
        if (!failure) failure = std::move(variant).error();
    }
    return failure ? *failure : error("{}: not pulled", name.repo);
}

/// Of a snapshot, with the folders that are empty then.
Result<uint64_t> Store::remove_file(const std::string& repo, const Snapshot& snapshot, const RepoFile& file) const {
    fs::path link = snapshot.folder / file.path, target = target_of(link);
    bool is_blob = target.parent_path() == repo_folder(repo) / "blobs";
    std::optional<BlobLock> held;
    if (is_blob) held.emplace(TRY(lock(repo, target.filename().string(), false)));
    std::error_code failure;
    uint64_t bytes = fs::file_size(link, failure);
    fs::remove(link, failure);
    if (failure) return error("{}: cannot remove: {}", shown(link), failure.message());
    remove_empty(link.parent_path(), snapshot.folder);
    if (!is_blob) return target == link ? bytes : 0;
    for (const fs::path& folder : entries(repo_folder(repo) / "snapshots"))
        for (const RepoFile& other : files_below(folder))
            if (target_of(folder / other.path) == target) return uint64_t{0};
    fs::remove(target, failure);
    if (failure) return error("{}: cannot remove: {}", shown(target), failure.message());
    return bytes;
}

uint64_t Store::remove_incomplete(const std::string& repo) const {
    uint64_t freed = 0;
    for (const fs::path& path : entries(repo_folder(repo) / "blobs")) {
        std::string name = path.filename().string();  // "CHECKSUM.incomplete", or with something between
        if (!name.ends_with(".incomplete")) continue;
        Result<BlobLock> held = lock(repo, name.substr(0, name.find('.')), false);
        std::error_code failure;
        uint64_t bytes = fs::file_size(path, failure);
        if (held.ok() && !failure && fs::remove(path, failure)) freed += bytes;
    }
    return freed;
}

Result<uint64_t> Store::remove(ModelName name) const {
    name.repo = spelling(name.repo);
    std::vector<Snapshot> found = snapshots(name.repo);
    std::set<std::string> meant, others;
    for (const Snapshot& snapshot : found)
        for (const Variant& variant : snapshot.models.variants)
            (is_meant(variant, name) ? meant : others).insert(variant.tag);
    if (meant.size() > 1 && meant.contains(name.tag)) others.merge(meant), meant = {name.tag};
    if (meant.size() > 1)
        return error("{}: which of {}?", name.repo, printable(fmt::format("{}", fmt::join(meant, ", ")), 400));

    bool is_whole = others.empty() && (!meant.empty() || name.tag.empty());  // nothing is to be left of the repository
    uint64_t freed = 0;
    bool any = !meant.empty();
    for (const Snapshot& snapshot : found) {
        for (const Variant& variant : snapshot.models.variants)
            for (size_t i = 0; meant.contains(variant.tag) && i < variant.files.size(); ++i)
                freed += TRY(remove_file(name.repo, snapshot, variant.files[i]));
        for (size_t i = 0; is_whole && i < snapshot.models.helpers.size(); ++i, any = true)
            freed += TRY(remove_file(name.repo, snapshot, snapshot.models.helpers[i].file));
    }
    if (is_whole && entries(repo_folder(name.repo) / "snapshots").empty()) freed += remove_incomplete(name.repo);
    if (!any && freed == 0)
        return error("{}{}{}: not pulled (godwit list shows what is)", name.repo, name.tag.empty() ? "" : ":",
                     name.tag);
    fs::path folder = repo_folder(name.repo);
    std::error_code ignored;
    if (entries(folder / "snapshots").empty() && entries(folder / "blobs").empty()) {
        fs::remove_all(folder, ignored);
        fs::remove_all(root_ / ".locks" / folder.filename(), ignored);
    }
    return freed;
}

}  // namespace godwit

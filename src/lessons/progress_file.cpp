// The file behind a ProgressStore: lock, read, write in one step, keep aside what cannot be read.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

#include "core/error.hpp"
#include "lessons/progress.hpp"

namespace minimind {

namespace {

namespace fs = std::filesystem;

/// An open file, closed at the end of its life.
class Descriptor {
  public:
    Descriptor(const fs::path& path, int flags) : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
        if (descriptor_ < 0) fail(path);
    }
    ~Descriptor() { ::close(descriptor_); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return descriptor_; }

    [[noreturn]] static void fail(const fs::path& path) {
        const std::string reason = std::strerror(errno);
        throw Error(reason).at(path.string());
    }

  private:
    int descriptor_;
};

/// Waits until no other process is between reading and writing. The lock goes with the descriptor, however the process
/// ends, so that none is ever left behind.
void lock(const Descriptor& file, const fs::path& path) {
    constexpr int most_tries = 500;  // 5 s: nobody holds it for longer than a write
    for (int i = 0; ::flock(file.get(), LOCK_EX | LOCK_NB) != 0; ++i) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || i == most_tries) Descriptor::fail(path);
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

void write_and_sync(const fs::path& path, const std::string& text) {
    const Descriptor file(path, O_WRONLY | O_CREAT | O_TRUNC);
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t written = ::write(file.get(), text.data() + done, text.size() - done);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) Descriptor::fail(path);
        done += static_cast<std::size_t>(written);
    }
    if (::fsync(file.get()) != 0) Descriptor::fail(path);
}

/// The whole file at once: nobody ever sees half of it, even if the power goes.
void replace(const fs::path& path, const std::string& text) {
    fs::path temporary = path;
    temporary += fmt::format(".partial.{}", ::getpid());
    try {
        write_and_sync(temporary, text);
        fs::rename(temporary, path);
    } catch (...) {
        std::error_code ignored;
        fs::remove(temporary, ignored);
        throw;
    }
    const Descriptor directory(path.parent_path(), O_RDONLY | O_DIRECTORY);
    ::fsync(directory.get());
}

std::string content_of(const fs::path& path) {
    if (fs::is_directory(path)) throw Error("there is a directory of that name").at(path.string());
    std::ifstream file(path, std::ios::binary);
    if (!file) Descriptor::fail(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// progress.json.corrupt, or .corrupt.1, .corrupt.2 where there is one already.
fs::path free_name(const fs::path& path, const std::string& ending) {
    fs::path name = path;
    name += "." + ending;
    for (int i = 1; fs::exists(name); ++i) {
        name = path;
        name += fmt::format(".{}.{}", ending, i);
    }
    return name;
}

/// Why the file cannot be used, and the word to keep it aside under.
struct Unusable {
    std::string ending;
    Words reason;
};

/// The file's progress, empty if there is none. Throws Error if it cannot be read at all.
Progress read(const fs::path& path, std::optional<Unusable>& unusable) {
    if (!fs::exists(path)) return {};
    const std::string text = content_of(path);
    try {
        return parse_progress(text, path.string());
    } catch (const NewerProgress&) {
        unusable = Unusable{"newer", {"comes from a newer version of this program", "来自本程序的更新版本"}};
    } catch (const Error& error) {
        unusable = Unusable{"corrupt", {fmt::format("is damaged ({})", error.what()), "已损坏"}};
    }
    return {};
}

Words kept_aside(const fs::path& path, const Unusable& unusable) {
    const fs::path name = free_name(path, unusable.ending);
    fs::rename(path, name);
    return {
        fmt::format("{} {}; it is kept as {}, and a new one begins", path.string(), unusable.reason.en, name.string()),
        fmt::format("{} {}；已另存为 {}，并重新开始记录", path.string(), unusable.reason.zh, name.string())};
}

Words not_saved(const std::string& reason) {
    return {fmt::format("progress is not saved: {}", reason), fmt::format("进度没有保存：{}", reason)};
}

}  // namespace

ProgressStore ProgressStore::of_user(const Environment& environment) {
    const auto absolute = [&environment](const char* name) -> std::optional<fs::path> {
        const char* value = environment(name);
        if (value == nullptr || *value != '/') return std::nullopt;  // the XDG specification: others are ignored
        return fs::path(value);
    };
    const fs::path file = fs::path("minimind") / "progress.json";
    if (const auto state = absolute("XDG_STATE_HOME")) return ProgressStore(*state / file);
    if (const auto home = absolute("HOME")) return ProgressStore(*home / ".local" / "state" / file);
    return ProgressStore(std::nullopt);
}

Progress ProgressStore::load(std::vector<Words>& notes) const {
    if (!path_) return {};
    try {
        std::optional<Unusable> unusable;
        Progress progress = read(*path_, unusable);
        if (unusable) {
            notes.push_back({fmt::format("{} {} and is not used", path_->string(), unusable->reason.en),
                             fmt::format("{} {}，没有使用", path_->string(), unusable->reason.zh)});
        }
        return progress;
    } catch (const std::exception& error) {
        notes.push_back(
            {fmt::format("progress cannot be read: {}", error.what()), fmt::format("读不到进度：{}", error.what())});
        return {};
    }
}

std::vector<Words> ProgressStore::update(const std::function<void(Progress&)>& change) const {
    if (!path_) return {not_saved("neither XDG_STATE_HOME nor HOME says where")};
    std::vector<Words> notes;
    try {
        fs::create_directories(path_->parent_path());
        fs::path lock_path = *path_;
        lock_path += ".lock";
        const Descriptor lock_file(lock_path, O_RDWR | O_CREAT);
        lock(lock_file, lock_path);
        std::optional<Unusable> unusable;
        Progress progress = read(*path_, unusable);
        if (unusable) notes.push_back(kept_aside(*path_, *unusable));
        change(progress);
        replace(*path_, progress_json(progress));
    } catch (const Error& error) {
        notes.push_back(not_saved(fmt::format("{}: {}", error.where(), error.what())));
    } catch (const fs::filesystem_error& error) {
        notes.push_back(not_saved(error.what()));
    }
    return notes;
}

std::vector<Words> ProgressStore::record(const std::vector<Attempt>& attempts) const {
    if (attempts.empty()) return {};
    return update([&attempts](Progress& progress) {
        for (const Attempt& attempt : attempts) add_attempt(progress, attempt);
    });
}

std::vector<Words> ProgressStore::forget(std::optional<int> lesson) const {
    return update([&lesson](Progress& progress) {
        if (lesson) {
            progress.lessons.erase(*lesson);
        } else {
            progress.lessons.clear();
        }
    });
}

}  // namespace minimind

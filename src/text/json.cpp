#include "text/json.hpp"

#include <algorithm>
#include <numeric>

#include "base/printable.hpp"

template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace godwit {
namespace {

using Object = Json::object_t;

/// The first place of a key stays, its last value counts, as in Python.
void drop_repeated(Object& members) {
    const auto object = members.begin();
    std::vector<size_t> order(members.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        int difference = object[a].first.compare(object[b].first);
        return difference != 0 ? difference < 0 : a < b;
    });
    std::vector<size_t> value_at(
        order.size());  // whose value a member gets; its own place where it is the first of its key
    bool repeated = false;
    std::vector<bool> first(order.size(), true);
    for (size_t i = 0; i < order.size();) {
        size_t last = i;
        while (last + 1 < order.size() && object[order[last + 1]].first == object[order[i]].first)
            first[order[++last]] = false;
        value_at[order[i]] = order[last];
        repeated |= last > i;
        i = last + 1;
    }
    if (!repeated) return;
    Object kept;
    for (size_t i = 0; i < first.size(); ++i)
        if (first[i]) kept.push_back(Object::value_type(object[i].first, std::move(object[value_at[i]].second)));
    members = std::move(kept);
}

/// Fills the tree without looking members up: nlohmann's own does, which takes the square of an object's size.
class Builder final : public nlohmann::json_sax<Json> {
public:
    explicit Builder(const JsonLimits& limits) : limits_(limits) {}

    bool null() override { return add(nullptr); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(int64_t value) override { return add(value); }
    bool number_unsigned(uint64_t value) override { return add(value); }
    bool number_float(double value, const std::string&) override { return add(value); }
    bool string(std::string& value) override { return add(std::move(value)); }
    bool binary(Json::binary_t&) override { return false; }

    bool start_object(size_t) override { return open(Json::object()); }
    bool start_array(size_t) override { return open(Json::array()); }
    bool key(std::string& value) override {
        key_ = std::move(value);
        return true;
    }
    bool end_object() override {
        drop_repeated(open_.back()->get_ref<Object&>());
        open_.pop_back();
        return true;
    }
    bool end_array() override {
        open_.pop_back();
        return true;
    }

    bool parse_error(size_t, const std::string&, const Json::exception& exception) override {
        std::string_view what = exception.what();
        for (std::string_view prefix : {"] parse error at ", "] "})
            if (size_t at = what.find(prefix); at != what.npos) {
                what.remove_prefix(at + prefix.size());
                break;
            }
        error_ = printable(what.substr(0, 200));
        return false;
    }

    Result<Json> result() {
        if (!error_.empty()) return Error{error_};
        return std::move(root_);
    }

private:
    Json* place(Json value) {
        if (++values_ > limits_.values) {
            error_ = fmt::format("more than {} values", limits_.values);
            return nullptr;
        }
        if (open_.empty()) {
            root_ = std::move(value);
            return &root_;
        }
        Json& parent = *open_.back();
        if (parent.is_array()) return &parent.get_ref<Json::array_t&>().emplace_back(std::move(value));
        Object& members = parent.get_ref<Object&>();
        members.push_back(Object::value_type(std::move(key_), std::move(value)));
        return &members.back().second;
    }
    bool add(Json value) { return place(std::move(value)) != nullptr; }
    bool open(Json value) {
        if (open_.size() >= static_cast<size_t>(limits_.depth)) {
            error_ = fmt::format("more than {} arrays and objects inside each other", limits_.depth);
            return false;
        }
        Json* opened = place(std::move(value));
        if (opened != nullptr) open_.push_back(opened);
        return opened != nullptr;
    }

    const JsonLimits& limits_;
    Json root_;
    std::vector<Json*> open_;  // their addresses hold: nothing is added to a parent while a child is open
    std::string key_;
    size_t values_ = 0;
    std::string error_;
};

}  // namespace

Result<Json> parse_json(std::string_view text, const JsonLimits& limits) {
    // The parser takes a NUL for the end of its input, whatever follows.
    if (size_t at = text.find('\0'); at != text.npos)
        return error("byte {}: a NUL character (in a string it is written \\u0000)", at);
    Builder builder(limits);
    Json::sax_parse(text, &builder);
    return builder.result();
}

std::string json_text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace godwit

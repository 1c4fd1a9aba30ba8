#include "stepper/why_parts.hpp"

#include <fmt/format.h>

#include <cmath>

namespace minimind {

Site WhyElement::stage(Point point, int expert) const {
    const bool is_in_layer = info(point).name.find("{i}") != std::string_view::npos;
    return {point, is_in_layer ? site.layer : -1, expert};
}

double WhyElement::value(Point point, const std::vector<std::int64_t>& place, int expert) const {
    return value_at(recording.view(stage(point, expert)), place);
}

double WhyElement::stored() const {
    return value_at(recording.view(site), index);
}

std::string WhyElement::name() const {
    return element_name(site, index);
}

double value_at(const TensorView& tensor, const std::vector<std::int64_t>& index) {
    const std::int64_t offset = tensor.offset(index.data());
    return tensor.dtype() == Dtype::f32 ? static_cast<double>(tensor.f32()[offset])
                                        : static_cast<double>(tensor.i64()[offset]);
}

std::string short_name(Site site) {
    std::string name = site_name(site);
    if (site.layer < 0) return name;
    name.erase(0, fmt::format("model.layers.{}.", site.layer).size());
    if (name.starts_with("self_attn.")) name.erase(0, std::string_view("self_attn.").size());
    const bool is_clear = name.starts_with("mlp.") && site.point != Point::router_logits && site.point != Point::expert;
    if (is_clear) name.erase(0, std::string_view("mlp.").size());
    return name;
}

std::string element_name(Site site, const std::vector<std::int64_t>& index) {
    return index.empty() ? short_name(site) : fmt::format("{}[{}]", short_name(site), fmt::join(index, ", "));
}

std::string indexed(const std::string& name, const std::vector<std::string>& places) {
    return fmt::format("{}[{}]", name, fmt::join(places, ", "));
}

TokenPlace token_place(const Recording& recording, std::int64_t n) {
    return {n / recording.batch().seq, n % recording.batch().seq};
}

double float_rounding(double magnitude, std::size_t n) {
    constexpr double u = 0x1p-24;
    constexpr double smallest = 0x1p-126;  // below it float32 has fewer digits, and flushes to 0
    return (6.0 + std::sqrt(static_cast<double>(n))) * u * magnitude + smallest;
}

}  // namespace minimind

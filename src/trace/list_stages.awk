# Makes stage_sources.inc: for each hook point the file and line of src/model that computes it. That is the line that
# announces it, `trace(Point::name` or `trace.view(Point::name`, unless another line is marked with a comment that begins
# with the point's name: `softmax_row(...);  // Point::attn_weights`.
BEGIN { count = 0 }
{
    marked = match($0, /\/\/ Point::[a-z_]+/)
    if (!marked && !match($0, /trace(\.view)?\(Point::[a-z_]+/)) next
    point = substr($0, RSTART, RLENGTH)
    sub(/.*Point::/, "", point)
    if (point in line && !marked) next
    if (!(point in line)) order[count++] = point
    file = FILENAME
    sub(/.*\/src\/model\//, "src/model/", file)
    line[point] = sprintf("{\"%s\", %d}", file, FNR)
}
END {
    print "// Made from src/model by src/trace/list_stages.awk."
    print "namespace minimind {"
    print "inline constexpr std::pair<Point, SourceLine> stage_sources[] = {"
    for (i = 0; i < count; ++i) printf "    {Point::%s, %s},\n", order[i], line[order[i]]
    print "};"
    print "}  // namespace minimind"
}

#include "io/json_foreign.h"

#include <string.h>

static int has(const json_t *root, const char *key)
{
    return json_object_get(root, key) != NULL;
}

/* What people feed to us by mistake, and what to do about it; NULL: no idea. */
static const char *describe(const json_t *root)
{
    const char *type = json_string_value(json_object_get(root, "type"));
    if (type && (strcmp(type, "FeatureCollection") == 0 || strcmp(type, "Feature") == 0))
        return "GeoJSON: make a CSV with the columns id, lat, lon of its points";
    if (has(root, "routes") && has(root, "unassigned")) return "a solution of VROOM, not a problem";
    if (has(root, "fleet") && has(root, "plan"))
        return "a 'pragmatic' problem of vrp-cli: convert it to VROOM's format or a CSV of stops";
    if (has(root, "services") && has(root, "vehicle_types"))
        return "a GraphHopper route optimization request: convert it to VROOM's format or a CSV";
    if (has(root, "model") && json_object_get(json_object_get(root, "model"), "shipments"))
        return "a request for Google's route optimization: convert it to VROOM's format or a CSV";
    if (has(root, "waypoints") && has(root, "routes"))
        return "a route of OSRM: ask its table service for a matrix";
    if (has(root, "features") && has(root, "bbox"))
        return "GeoJSON: make a CSV with the columns id, lat, lon of its points";
    if (has(root, "shipments"))
        return "a VROOM problem with shipments alone: pickups have no counterpart";
    return NULL;
}

ucpo_status json_read_foreign(const struct io_source *source, const json_t *root, ucpo_dataset *set,
                              ucpo_error *err)
{
    const json_t *schema = json_object_get(root, "schema");
    const char *known = json_string_value(schema);
    if (known && strncmp(known, "ucpo.solution", 13) == 0)
        return json_wrong(source->label, "schema", schema,
                          "an instance: this is a plan, which comes after its instance", err);
    if (!schema && has(root, "vehicles") && has(root, "jobs"))
        return json_read_vroom(source, root, set, err);
    if (!schema && (has(root, "distance_matrix") || has(root, "time_matrix")))
        return json_read_dictionary(source, root, set, err);
    if (!schema && !has(root, "problem") && (has(root, "durations") || has(root, "distances")))
        return json_read_table(source, root, set, err);
    ucpo_status st = schema ? UCPO_OK : json_service_error(source->label, root, err);
    if (st) return st;
    const char *seen = describe(root);
    if (seen)
        return status_fail_at(err, UCPO_E_UNSUPPORTED, source->label, 0, "the file looks like %s",
                              seen);
    return json_wrong(source->label, "schema", schema,
                      "\"" JSON_INSTANCE_SCHEMA "\" or \"" JSON_DATASET_SCHEMA
                      "\" (or keys of VROOM, of an OR-Tools data dictionary or of an OSRM matrix)",
                      err);
}

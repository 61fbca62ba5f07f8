/* metrics.csv of a run: never a crash, never a refusal without a word. */
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct plot_run run = {0};
    struct plot_points points = {0};
    ucpo_error err = {0};
    if (plot_metrics_read((const char *)data, size, "fuzz", &run, &err) != UCPO_OK) {
        if (err.text[0] == '\0' || run.rows) abort();
        return 0;
    }
    if (plot_points_take(&run, PLOT_TRAIN, PLOT_INSTANCES, PLOT_LOSS, 1.0, &points, &err) ==
        UCPO_OK) {
        plot_points_smooth(&points, 10);
        for (size_t i = 0; i < points.count; i++)
            if (!isfinite(points.x[i]) || !isfinite(points.y[i])) abort();
    }
    plot_points_free(&points);
    plot_run_free(&run);
    return 0;
}

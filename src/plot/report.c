/* The page about plans. */
#include "plot/plan.h"
ucpo_report_options ucpo_report_options_default(void)
{
    return (ucpo_report_options){0};
}
ucpo_status ucpo_report_html(const ucpo_dataset *set, const ucpo_plans *plans,
                             const ucpo_report_options *options, char **bytes, size_t *size,
                             ucpo_error *err)
{
    (void)set; (void)plans; (void)options; (void)bytes; (void)size;
    return status_fail(err, UCPO_E_INTERNAL, "later");
}

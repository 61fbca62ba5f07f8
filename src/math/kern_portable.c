/* Baseline instructions of the target. */
#define KERN_TABLE kern_portable
#define KERN_NAME  "portable"
#include "math/kern_body.h"

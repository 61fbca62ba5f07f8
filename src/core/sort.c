#include "core/sort.h"

static int sorts_after(const double *key, int32_t a, int32_t b)
{
    return key[a] > key[b] || (key[a] == key[b] && a > b);
}

static void sift_down(int32_t *item, int32_t from, int32_t count, const double *key)
{
    int32_t moving = item[from];
    for (int32_t child = 2 * from + 1; child < count; child = 2 * from + 1) {
        if (child + 1 < count && sorts_after(key, item[child + 1], item[child])) child++;
        if (!sorts_after(key, item[child], moving)) break;
        item[from] = item[child];
        from = child;
    }
    item[from] = moving;
}

static void heap_sort(int32_t *item, int32_t count, const double *key)
{
    for (int32_t i = count / 2 - 1; i >= 0; i--) sift_down(item, i, count, key);
    for (int32_t last = count - 1; last > 0; last--) {
        int32_t largest = item[0];
        item[0] = item[last];
        item[last] = largest;
        sift_down(item, 0, last, key);
    }
}

void sort_by_key(int32_t *item, int32_t count, const double *key)
{
    int64_t moves = 0, most = 16 * (int64_t)count; /* nearly sorted ones stay below */
    for (int32_t k = 1; k < count && moves <= most; k++) {
        int32_t moving = item[k], at = k;
        for (; at > 0 && sorts_after(key, item[at - 1], moving); at--) item[at] = item[at - 1];
        item[at] = moving;
        moves += k - at;
    }
    if (moves > most) heap_sort(item, count, key);
}

double sort_kth(double *value, int32_t count, int32_t k)
{
    int32_t low = 0, high = count - 1;
    while (low < high) { /* the k-th is within */
        double pivot = value[low + (high - low) / 2];
        int32_t i = low, j = high;
        while (i <= j) {
            while (value[i] < pivot) i++;
            while (value[j] > pivot) j--;
            if (i > j) break;
            double swap = value[i];
            value[i++] = value[j];
            value[j--] = swap;
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            break;
    }
    return value[k];
}

#ifndef VERBENA_BENCH_HISTOGRAM_H
#define VERBENA_BENCH_HISTOGRAM_H

#include <stdint.h>

/* Log-linear histogram of nanoseconds: 32 buckets for each power of two, about 3 % resolution. */
enum { HISTOGRAM_STEPS = 32, HISTOGRAM_BUCKETS = 64 * HISTOGRAM_STEPS };

struct histogram {
	uint64_t count;
	uint64_t max;
	uint64_t buckets[HISTOGRAM_BUCKETS];
};

static inline unsigned histogram_bucket(uint64_t ns)
{
	if (ns < HISTOGRAM_STEPS)
		return (unsigned)ns;
	unsigned octave = 63u - (unsigned)__builtin_clzll(ns); /* at least 5 */
	unsigned step = (unsigned)(ns >> (octave - 5)) & (HISTOGRAM_STEPS - 1);
	return (octave - 4) * HISTOGRAM_STEPS + step;
}

static inline void histogram_add(struct histogram *h, uint64_t ns)
{
	h->count++;
	if (ns > h->max)
		h->max = ns;
	h->buckets[histogram_bucket(ns)]++;
}

/* Lower edge of the bucket that holds the given share of the values. */
static inline double histogram_at(const struct histogram *h, double share)
{
	uint64_t want = (uint64_t)(share * (double)h->count), seen = 0;

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		seen += h->buckets[i];
		if (seen <= want)
			continue;
		if (i < HISTOGRAM_STEPS)
			return i;
		unsigned octave = i / HISTOGRAM_STEPS + 4;
		uint64_t step = i % HISTOGRAM_STEPS;
		return (double)((HISTOGRAM_STEPS + step) << (octave - 5));
	}
	return (double)h->max;
}

#endif

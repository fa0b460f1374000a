/* What the programs of this folder share: the sizes of the ACM client protocol, bytes from hexadecimal, a connection, the time. */
#ifndef WIRE_H
#define WIRE_H

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

enum { MAX_MESSAGE = 592, HEADER = 16 };

static inline void die(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
	exit(1);
}

static inline uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A message, 16 to 592 bytes; gives its length. */
static inline size_t parse_hex(const char *hex, unsigned char bytes[MAX_MESSAGE])
{
	size_t digits = strlen(hex);

	if (digits % 2 || digits / 2 < HEADER || digits / 2 > MAX_MESSAGE) {
		fprintf(stderr, "%s: a message has 16 to 592 bytes in hexadecimal\n", program_invocation_short_name);
		exit(2);
	}
	for (size_t i = 0; i < digits / 2; i++) {
		unsigned byte;
		if (sscanf(hex + 2 * i, "%2x", &byte) != 1) {
			fprintf(stderr, "%s: a message is not hexadecimal\n", program_invocation_short_name);
			exit(2);
		}
		bytes[i] = (unsigned char)byte;
	}
	return digits / 2;
}

static inline int connect_unix(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	if (strlen(path) >= sizeof address.sun_path) {
		errno = ENAMETOOLONG;
		die(path);
	}
	strcpy(address.sun_path, path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address))
		die(path);
	return fd;
}

/* As many descriptors as the system lets it have. */
static inline void allow_many_files(void)
{
	struct rlimit files;

	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
}

/* The processor this program runs on; -1 leaves the choice to the system. */
static inline void run_on(int cpu)
{
	cpu_set_t set;

	if (cpu < 0)
		return;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof set, &set))
		die("sched_setaffinity");
}

#endif

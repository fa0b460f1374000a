/*
 * The least a server of the ACM client protocol can do: one thread, epoll, and for each request that arrives whole in one read the same
 * reply, one recv and one send. What bench/daemon.mjs measures the daemons against.
 *
 * answer-only SOCKET REPLY_HEX
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "wire.h"

enum { EVENTS = 256, BACKLOG = 4096 };

static void watch(int poll, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	if (epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event))
		die("epoll_ctl");
}

int main(int argc, char **argv)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct epoll_event events[EVENTS];
	unsigned char reply[MAX_MESSAGE], request[MAX_MESSAGE];

	if (argc != 3 || strlen(argv[1]) >= sizeof address.sun_path) {
		fprintf(stderr, "usage: answer-only SOCKET REPLY_HEX\n");
		return 2;
	}
	allow_many_files();
	strcpy(address.sun_path, argv[1]);
	size_t length = parse_hex(argv[2], reply);
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, BACKLOG))
		die(argv[1]);
	int poll = epoll_create1(EPOLL_CLOEXEC);
	if (poll < 0)
		die("epoll_create1");
	watch(poll, listener);
	printf("ready\n");
	fflush(stdout);
	for (;;) {
		int n = epoll_wait(poll, events, EVENTS, -1);
		for (int i = 0; i < n; i++) {
			int fd = events[i].data.fd;
			if (fd == listener) {
				int client = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
				if (client >= 0)
					watch(poll, client);
				continue;
			}
			ssize_t got = recv(fd, request, sizeof request, 0);
			if (got <= 0) {
				close(fd);
				continue;
			}
			memcpy(reply + 8, request + 8, 8); /* the client's transaction id */
			if (send(fd, reply, length, MSG_NOSIGNAL) != (ssize_t)length)
				close(fd);
		}
	}
}

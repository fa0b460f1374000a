/*
 * The same server as answer-only.c on io_uring: one thread, a ring that takes connections, receives and sends, so that one system call
 * serves all requests that have come since the last. Buffers for what comes are provided by a ring of their own; a send that succeeds
 * says nothing. What bench/daemon.mjs shows beside the others, so that the choice of the front end's loop rests on a figure.
 *
 * answer-ring SOCKET REPLY_HEX
 * answer-ring --try: ends with 0 where the system allows it a ring
 */
#define _GNU_SOURCE
#include <liburing.h>
#include <unistd.h>

#include "wire.h"

enum { ENTRIES = 4096, BUFFERS = 1024, BUFFER_SIZE = 1024, BACKLOG = 4096, GROUP = 1 };
enum { ACCEPT = 1, RECEIVE, SEND };

static struct io_uring ring;
static unsigned char reply[MAX_MESSAGE];
static size_t reply_length;

static struct io_uring_sqe *entry(void)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);

	if (!sqe) {
		io_uring_submit(&ring);
		sqe = io_uring_get_sqe(&ring);
	}
	return sqe;
}

static void accept_all(int listener)
{
	struct io_uring_sqe *sqe = entry();

	io_uring_prep_multishot_accept(sqe, listener, NULL, NULL, SOCK_CLOEXEC);
	io_uring_sqe_set_data64(sqe, (uint64_t)ACCEPT << 32 | (uint32_t)listener);
}

static void receive_all(int fd)
{
	struct io_uring_sqe *sqe = entry();

	io_uring_prep_recv_multishot(sqe, fd, NULL, 0, 0);
	sqe->flags |= IOSQE_BUFFER_SELECT;
	sqe->buf_group = GROUP;
	io_uring_sqe_set_data64(sqe, (uint64_t)RECEIVE << 32 | (uint32_t)fd);
}

static void answer(int fd)
{
	struct io_uring_sqe *sqe = entry();

	io_uring_prep_send(sqe, fd, reply, reply_length, MSG_NOSIGNAL);
	sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
	io_uring_sqe_set_data64(sqe, (uint64_t)SEND << 32 | (uint32_t)fd);
}

int main(int argc, char **argv)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct io_uring_params params = {
		.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE,
		.cq_entries = 4 * ENTRIES,
	};

	errno = -io_uring_queue_init_params(ENTRIES, &ring, &params);
	if (errno)
		die("io_uring");
	if (argc == 2 && !strcmp(argv[1], "--try"))
		return 0;
	if (argc != 3 || strlen(argv[1]) >= sizeof address.sun_path) {
		fprintf(stderr, "usage: answer-ring SOCKET REPLY_HEX\n");
		return 2;
	}
	allow_many_files();
	strcpy(address.sun_path, argv[1]);
	reply_length = parse_hex(argv[2], reply);
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, BACKLOG))
		die(argv[1]);
	struct io_uring_buf_ring *buffers = NULL;
	unsigned char *memory = aligned_alloc(4096, (size_t)BUFFERS * BUFFER_SIZE);
	if (posix_memalign((void **)&buffers, 4096, BUFFERS * sizeof(struct io_uring_buf)) || !memory)
		die("memory");
	struct io_uring_buf_reg registration = { .ring_addr = (uintptr_t)buffers, .ring_entries = BUFFERS, .bgid = GROUP };
	errno = -io_uring_register_buf_ring(&ring, &registration, 0);
	if (errno)
		die("buffers");
	io_uring_buf_ring_init(buffers);
	int mask = io_uring_buf_ring_mask(BUFFERS);
	for (int i = 0; i < BUFFERS; i++)
		io_uring_buf_ring_add(buffers, memory + (size_t)i * BUFFER_SIZE, BUFFER_SIZE, (unsigned short)i, mask, i);
	io_uring_buf_ring_advance(buffers, BUFFERS);
	accept_all(listener);
	printf("ready\n");
	fflush(stdout);
	for (;;) {
		struct io_uring_cqe *cqe;
		unsigned head, seen = 0;
		int returned = 0;

		io_uring_submit_and_wait(&ring, 1);
		io_uring_for_each_cqe(&ring, head, cqe) {
			uint64_t data = io_uring_cqe_get_data64(cqe);
			int fd = (int)(uint32_t)data, what = (int)(data >> 32), more = cqe->flags & IORING_CQE_F_MORE;
			seen++;
			if (what == ACCEPT) {
				if (cqe->res >= 0)
					receive_all(cqe->res);
				if (!more)
					accept_all(listener);
				continue;
			}
			if (what == SEND)
				continue;
			if (cqe->flags & IORING_CQE_F_BUFFER) {
				unsigned short id = (unsigned short)(cqe->flags >> IORING_CQE_BUFFER_SHIFT);
				io_uring_buf_ring_add(buffers, memory + (size_t)id * BUFFER_SIZE, BUFFER_SIZE, id, mask, returned++);
			}
			if (cqe->res > 0) {
				answer(fd);
				if (!more)
					receive_all(fd);
			} else if (cqe->res == -ENOBUFS) {
				receive_all(fd);
			} else {
				close(fd);
			}
		}
		io_uring_buf_ring_advance(buffers, returned);
		io_uring_cq_advance(&ring, seen);
	}
}

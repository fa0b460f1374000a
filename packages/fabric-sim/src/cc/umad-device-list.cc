// libibumad: the device list as a linked list.
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <algorithm>
#include <vector>

#include "export.h"
#include "process.h"
#include "verbena/ibumad-abi.h"

using namespace fabricsim;

FABRICSIM_EXPORT void umad_free_ca_device_list(vb_umad_device_node *head) {
  while (head != nullptr) {
    vb_umad_device_node *next = head->next;
    free(const_cast<char *>(head->ca_name));
    free(head);
    head = next;
  }
}

FABRICSIM_EXPORT vb_umad_device_node *umad_get_ca_device_list(void) {
  Process &process = Process::get();
  Lock lock = process.lock();
  int error = process.attach();
  if (error != 0) {
    errno = error;
    return nullptr;
  }
  vb_umad_device_node *head = nullptr;
  vb_umad_device_node **end = &head;
  for (Device &device : process.devices()) {
    auto *node = static_cast<vb_umad_device_node *>(calloc(1, sizeof(vb_umad_device_node)));
    char *name = strdup(device.name());
    if (node == nullptr || name == nullptr) {
      free(node);
      free(name);
      umad_free_ca_device_list(head);
      errno = ENOMEM;
      return nullptr;
    }
    node->ca_name = name;
    *end = node;
    end = &node->next;
  }
  errno = 0;
  return head;
}

// Sorts by name; `size` is the number of nodes, 0 to have them counted.
FABRICSIM_EXPORT int umad_sort_ca_device_list(vb_umad_device_node **head, size_t size) {
  if (head == nullptr) return EINVAL;
  std::vector<vb_umad_device_node *> nodes;
  for (vb_umad_device_node *node = *head; node != nullptr && (size == 0 || nodes.size() < size); node = node->next) nodes.push_back(node);
  if (nodes.empty()) return 0;
  vb_umad_device_node *rest = nodes.back()->next;
  std::stable_sort(nodes.begin(), nodes.end(), [](auto *a, auto *b) { return strcmp(a->ca_name, b->ca_name) < 0; });
  *head = nodes.front();
  for (size_t i = 0; i + 1 < nodes.size(); ++i) nodes[i]->next = nodes[i + 1];
  nodes.back()->next = rest;
  return 0;
}

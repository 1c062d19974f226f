// A medium such as an ISO, from which the machine starts and then runs in memory: the medium may be taken out.
#pragma once

#define MEDIUM "medium" // In place of a slot on the command line, and the folder of the image on the medium.
#define MEMORY "/memory"
#define IDENTIFIER_AT 32769 // Source: ECMA-119, volume descriptors.

static int isMedium(void) { return begins(slot, MEDIUM) && !slot[sizeof(MEDIUM) - 1]; }

// Whether the device has a file system of a CD. The kernel would report each device without one, ten times a second.
static int hasMediumMark(const char *device) {
  static char head[IDENTIFIER_AT + 6];
  long file = openAt(device, O_RDONLY | O_CLOEXEC), used = 0;
  for (long got; file >= 0 && used < IDENTIFIER_AT + 5 && (got = readFrom(file, head + used, IDENTIFIER_AT + 5 - used)) > 0;) used += got;
  if (file >= 0) closeFile(file);
  return used == IDENTIFIER_AT + 5 && begins(head + IDENTIFIER_AT, "CD001");
}

static void copyToMemory(const char *name) {
  static char piece[1 << 16], from[PATH_BYTES], to[PATH_BYTES];
  JOIN(from, BOOT "/" MEDIUM "/", name);
  JOIN(to, MEMORY "/" MEDIUM "/", name);
  long source = must(openAt(from, O_RDONLY | O_CLOEXEC), "open", from);
  long target = must(openAt(to, O_WRONLY | O_CREAT | O_CLOEXEC), "create", to);
  for (long got; (got = must(readFrom(source, piece, sizeof(piece)), "read", from)) > 0;)
    for (long done = 0; done < got;) done += must(writeTo(target, piece + done, got - done), "write", to);
  closeFile(source);
  closeFile(target);
}

// Copies the image of this kernel from the device, if it is a medium with it, and unmounts the medium.
static int openMedium(const char *name, const char *rootHash) {
  char device[PATH_BYTES];
  JOIN(device, "/dev/", name);
  if (!hasMediumMark(device) || mountAt(device, BOOT, "iso9660", SECURE | MS_RDONLY, 0)) return 0;
  if (!hasRootHash(rootHash)) {
    unmountAt(BOOT, 0);
    return 0;
  }
  SAY("image " MEDIUM "/rootfs.squashfs on ", device, ", which is copied to memory");
  makeFolder(MEMORY, 0700);
  must(mountAt("tmpfs", MEMORY, "tmpfs", SECURE, "mode=0700"), "mount", MEMORY);
  makeFolder(MEMORY "/" MEDIUM, 0700);
  copyToMemory("rootfs.squashfs");
  copyToMemory("rootfs.verity");
  unmountAt(BOOT, 0);
  must(mountAt(MEMORY, BOOT, 0, MS_MOVE, 0), "move", MEMORY);
  JOIN(medium, "MACHINED_MEDIUM=", device);
  return 1;
}

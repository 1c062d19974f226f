/** What the calls that upgrade a machine keep at most. */
export const upgradeLimits = {
  /** Lines that a slow client has not read. Older ones are left out then. */
  unreadLines: 512,
  /** Characters of a line. The rest is left out. */
  lineLength: 4096,
  /** Characters of the reference of an artefact. */
  imageLength: 1024,
  /** Characters of the path of a disk. */
  diskLength: 256,
} as const;

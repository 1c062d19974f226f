/** Names in a configuration that a client sends may have any length. */
const maxNameLength = 64;

/** A name in quotes for a message: cut after 64 characters, and without control characters. */
export function quotedName(name: string): string {
  return JSON.stringify(name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name);
}

/**
 * Per command: where the identifiers are in an entry of its JSON document. `-o name` prints one per line.
 * Commands that are missing here print nothing that another command takes.
 */
const nameTemplates: Readonly<Record<string, string>> = {
  'cluster show': '{.nodes[*].name}',
  'config contexts': '{.name}',
  containers: '{.containers[*].id}',
  diskfree: '{.volumes[*].volume}',
  'etcd members': '{.members[*].id}',
  'etcd status': '{.memberId}',
  events: '{.id}',
  get: '{.metadata.id}',
  'image list': '{.images[*].name}',
  list: '{.name}',
  mounts: '{.mounts[*].mountedOn}',
  processes: '{.processes[*].pid}',
  service: '{.id}{.services[*].id}',
  stats: '{.stats[*].id}',
  usage: '{.name}',
};

/** The template of a command, such as `etcd members`; undefined when it has no identifiers. */
export function nameTemplateOf(command: string): string | undefined {
  return Object.hasOwn(nameTemplates, command) ? nameTemplates[command] : undefined;
}

/** Names of the commands with identifiers. */
export const commandsWithNames: readonly string[] = Object.keys(nameTemplates);

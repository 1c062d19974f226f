import type { DiscoveredVolumeSpec } from './discovery.ts';

/** Labels are as long as the field of a partition table. The text of more partitions says how many there are. */
const [longestLabel, mostPartitions] = [36, 8];

/** What was found on a device, as far as it is needed to recognise it. */
export type FoundContents = { readonly id: string; readonly spec: FoundFields };
type FoundFields = Pick<
  DiscoveredVolumeSpec,
  'name' | 'label' | 'partition_label' | 'parent' | 'pretty_size'
>;

/**
 * Describes what was found on a disk or partition, such as `gpt, 32 GB: vdb1 ext4 "backup"`. Labels are what somebody wrote to the disk:
 * who prints them must escape them.
 *
 * @param device the kernel's name
 * @param found everything that was found on the machine
 */
export function discoveredText(device: string, found: readonly FoundContents[]): string {
  const own = found.find(({ id }) => id === device)?.spec;
  const parts = found.filter(({ spec }) => spec.parent === device);
  const size = own === undefined || own.pretty_size === '' ? '' : `, ${own.pretty_size}`;
  const named = parts.slice(0, mostPartitions).map(({ id, spec }) => `${id} ${contents(spec)}`);
  if (parts.length > mostPartitions) named.push(`${parts.length - mostPartitions} more`);
  return `${contents(own)}${size}${named.length === 0 ? '' : `: ${named.join(', ')}`}`;
}

function contents(spec: FoundFields | undefined): string {
  const label = (spec?.label || spec?.partition_label || '').slice(0, longestLabel);
  return `${spec?.name || 'nothing known'}${label === '' ? '' : ` "${label}"`}`;
}

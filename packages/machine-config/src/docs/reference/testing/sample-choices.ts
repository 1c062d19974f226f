// What documents of examples need besides the fields that are always required.

/** The kinds with a choice between fields, and what their documents choose. */
export const chosenFields: Readonly<Record<string, readonly string[]>> = {
  v1alpha1: ['machine.type', 'machine.ca.crt', 'machine.ca.key'],
  UserVolumeConfig: ['provisioning.diskSelector.match', 'provisioning.minSize'],
  RawVolumeConfig: ['provisioning.minSize'],
  SwapVolumeConfig: ['provisioning.minSize'],
  RoutingRuleConfig: ['table'],
  HostnameConfig: ['hostname'],
  ExtensionServiceConfig: ['environment'],
};

/** Examples that are refused in these documents. */
export const refusedExamples: Readonly<Record<string, readonly string[]>> = {
  v1alpha1: [
    // Refused in every document.
    'machine.network.interfaces[].bond.arpIPTarget',
    'machine.network.interfaces[].bond.adActorSystem',
    // They need another mode of the bond, or another network plug-in.
    'machine.network.interfaces[].bond.primary',
    'machine.network.interfaces[].bond.tlbDynamicLb',
    'cluster.network.cni.urls',
  ],
  BondConfig: ['primary'],
  // The other container does not exist.
  ContainerConfig: ['dependsOn.containers'],
  // Not together with `hostname`.
  HostnameConfig: ['auto'],
};

/** Fields that others need beside them. The group of the pattern is the path of the object that has both. */
const companions: readonly (readonly [RegExp, ...string[]])[] = [
  [/^(machine\.network\.interfaces\[\]\.)(?!interface|deviceSelector)/, 'interface'],
  [/^(machine\.network\.interfaces\[\]\.(?:vlans\[\]\.)?)dhcpOptions\.(?:routeMetric|ipv4|ipv6)$/, 'dhcp'],
  [/^(machine\.network\.interfaces\[\]\.(?:vlans\[\]\.)?)dhcpOptions\.duidv6$/, 'dhcp', 'dhcpOptions.ipv6'],
  [/^(.*\bbond\.)(?:lacpRate|adActorSysPrio|adUserPortKey)$/, 'mode'],
  [/^(.*\bbond\.)(?:updelay|downdelay)$/, 'miimon'],
  [/^(.*\broutes\[\]\.)(?:source|metric|mtu|table)$/, 'gateway'],
  [/^(.*\btls\.clientIdentity\.)key$/, 'crt'],
  [/^(machine\.systemDiskEncryption\.\w+\.)/, 'keys[].nodeID'],
  [/^(encryption\.)/, 'keys[].nodeID'],
  [/^(cluster\.externalCloudProvider\.)manifests$/, 'enabled'],
  [/^()(?:duidRaw|clientIdentifier)$/, 'duidRaw', 'clientIdentifier'],
  [/^()(?:mirrors|stripes)$/, 'type'],
  [/^()fwMask$/, 'fwMark'],
  [/^(nameservers\[\]\.)(?:protocol|tlsServerName)$/, 'protocol', 'tlsServerName'],
  [/^(hostDNS\.)/, 'enabled'],
  [/^(neighbors\[\]\.)(?!address|link)/, 'address'],
  [/^(rules\[\]\.)image$/, 'skip'],
  [/^(rules\[\]\.keyless\.)/, 'subject'],
];

/** Returns the fields of a document that is valid with the field at the path. */
export function fieldsBeside(kind: string, path: string): string[] {
  const needed = companions.flatMap(([pattern, ...names]) => {
    const [, base] = pattern.exec(path) ?? [];
    return base === undefined ? [] : names.map((name) => base + name);
  });
  return [...(chosenFields[kind] ?? []), ...needed, path];
}

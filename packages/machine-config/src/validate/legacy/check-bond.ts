import type { CheckedDocument } from '../checked-document.ts';

/** The allowed values of each field. Source: Talos v1.14: machine configuration, network enumerations. */
const words: Readonly<Record<string, readonly string[]>> = {
  mode: ['balance-rr', 'active-backup', 'balance-xor', 'broadcast', '802.3ad', 'balance-tlb', 'balance-alb'],
  xmitHashPolicy: ['layer2', 'layer3+4', 'layer2+3', 'encap2+3', 'encap3+4'],
  lacpRate: ['slow', 'fast'],
  arpValidate: ['none', 'active', 'backup', 'all', 'filter', 'filter-active', 'filter-backup'],
  arpAllTargets: ['any', 'all'],
  primaryReselect: ['always', 'better', 'failure'],
  failOverMac: ['none', 'active', 'follow'],
  adSelect: ['stable', 'bandwidth', 'count'],
};

const sharing = ['balance-tlb', 'balance-alb'];

/** Source: Talos v1.14: machine configuration, legacy document rules (bond). */
export function checkBond(bond: CheckedDocument): void {
  const mode = bond.text('mode');
  if (bond.texts('interfaces').length > 0 && bond.items('deviceSelectors').length > 0)
    bond.refuse('cannot be combined with interfaces', 'deviceSelectors');
  for (const [key, known] of Object.entries(words)) {
    const text = bond.text(key);
    if (text !== '' && !known.includes(text)) bond.refuse(`must be one of ${known.join(', ')}`, key);
  }
  checkDelays(bond);
  for (const key of ['arpIPTarget', 'adActorSystem'])
    if (isSet(bond, key)) bond.refuse('is not supported', key);
  const only = (keys: readonly string[], modes: readonly string[]) => {
    for (const key of keys)
      if (isSet(bond, key) && !modes.includes(mode)) bond.refuse(`needs the mode ${modes.join(' or ')}`, key);
  };
  only(['lacpRate', 'adActorSysPrio', 'adUserPortKey'], ['802.3ad']);
  only(['primary'], ['active-backup', ...sharing]);
  only(['tlbDynamicLb'], sharing);
  for (const key of ['arpValidate', 'arpInterval'])
    if (isSet(bond, key) && ['802.3ad', ...sharing].includes(mode))
      bond.refuse(`cannot be combined with the mode ${mode}`, key);
  if ((bond.integer('packetsPerSlave') ?? 0) > 1 && mode !== 'balance-rr')
    bond.refuse('needs the mode balance-rr', 'packetsPerSlave');
}

function checkDelays(bond: CheckedDocument): void {
  const interval = bond.integer('miimon') ?? 0;
  for (const key of ['updelay', 'downdelay']) {
    const delay = bond.integer(key) ?? 0;
    if (delay === 0) continue;
    if (interval === 0) bond.refuse('needs miimon', key);
    else if (delay % interval !== 0) bond.refuse('must be a multiple of miimon', key);
  }
}

function isSet(bond: CheckedDocument, key: string): boolean {
  const value = bond.value(key);
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== '' && value !== 0;
}

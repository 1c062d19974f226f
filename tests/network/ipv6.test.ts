// A machine takes its addresses, routes and name servers from the router advertisements of dnsmasq.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import { type Lan, type LanMachine, openLan, type Running, reasonToSkip } from './open-lan.ts';
import { advertisementFrame, domainsOption, openSender, serversOption } from './router-advertisement.ts';

const skip = reasonToSkip;
const timeoutMs = 40_000;
const inet4 = '10.99.0.50,10.99.0.59,2m';
/** dnsmasq gives prefixes no lifetime below two minutes. */
const advertise = ['--enable-ra', '--ra-param=lan0,4,600'];
const names = [
  '--dhcp-option=option6:dns-server,[fd99::53],[fd99::54]',
  '--dhcp-option=option6:domain-search,lab.example',
];
/** What a host of the lan has, and what the server gives to one machine all the same. */
const taken = 'fd99::140';
const duid = '00:03:00:01:02:00:00:00:00:99';
const settings = [
  ...['--dhcp-range=fd99::100,fd99::13f,slaac,64,2m', `--dhcp-host=id:${duid},[${taken}]`],
  ...advertise,
  ...names,
];
const managedHardware = '02:00:00:00:00:32';
const document = (...lines: string[]) =>
  [
    'version: v1alpha1',
    'machine: { type: worker }',
    '---',
    'apiVersion: v1alpha1',
    'kind: DHCPv6Config',
    'name: eth0',
    ...lines,
    '',
  ].join('\n');

const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
let lan: Lan;
let server: Running;
let machine: LanMachine;
let running: Running;
/** Another host of the lan. */
let rogue: LanMachine;
/** Machines that ask for an address by DHCP, one of them for what another host has. */
let managed: LanMachine;
let managedRunning: Running;
let conflicted: LanMachine;
let conflictedRunning: Running;
const other = '02:00:00:00:00:66';

before(async () => {
  if (skip) return;
  lan = await openLan(scope);
  lan.ip('addr', 'add', 'fd99::1/64', 'dev', 'lan0', 'nodad');
  server = await lan.serve('router', inet4, ...settings);
  machine = await lan.addMachine('plain', '02:00:00:00:00:31');
  // A link that nothing brings up, as those of containers: its other end could be anybody's.
  machine.ip('link', 'add', 'pod0', 'type', 'veth', 'peer', 'name', 'pod1');
  rogue = await lan.addMachine('rogue', other);
  rogue.ip('link', 'set', 'eth0', 'up');
  rogue.ip('addr', 'add', '10.99.0.66/24', 'dev', 'eth0');
  managed = await lan.addMachine('managed', managedHardware);
  conflicted = await lan.addMachine('conflicted', '02:00:00:00:00:33');
  rogue.ip('addr', 'add', `${taken}/64`, 'dev', 'eth0', 'nodad');
  running = machine.start();
  managedRunning = managed.start(undefined, document('clientIdentifier: mac'));
  conflictedRunning = conflicted.start(undefined, document('clientIdentifier: duid', `duidRaw: "${duid}"`));
});

const explain = () =>
  `${running.text().slice(-3000)}\n${server.text().slice(-2000)}\n${machine.ip('-6', 'addr')}`;
const resolvers = () =>
  running
    .text()
    .match(/^resolvers: .*$/gm)
    ?.at(-1) ?? '';

test('a machine has the address and the routes of an advertisement', { skip }, async () => {
  const expected = 'fd99::ff:fe00:31/64';
  await eventually(() => machine.inet6Addresses().includes(expected), {
    what: 'an address',
    timeoutMs,
    explain,
  });
  const routes = machine.ip('-6', 'route');
  assert.match(routes, /^default via fe80::\S+ dev eth0 proto ra metric 1024 /m);
  assert.match(routes, /^fd99::\/64 dev eth0 /m);
  assert.equal(machine.addresses().length <= 1, true);
});

test('name servers and search domains of an advertisement are those of the machine', { skip }, async () => {
  const isThere = () => /^resolvers: \S*fd99::53,fd99::54\S* lab\.example$/.test(resolvers());
  await eventually(isThere, { what: 'name servers', timeoutMs, explain });
});

test('a link that nothing brings up takes no advertisement', { skip }, async () => {
  const accept = (link: string) => machine.run('cat', `/proc/sys/net/ipv6/conf/${link}/accept_ra`).trim();
  assert.deepEqual(['eth0', 'pod0', 'pod1', 'default'].map(accept), ['2', '0', '0', '0']);
});

test('an address of an advertisement stays beside those of specifications, and comes back with its link', {
  skip,
}, async () => {
  const kept = machine.inet6Addresses();
  machine.ip('link', 'set', 'eth0', 'down');
  await eventually(() => machine.inet6Addresses().join() === kept.join(), {
    what: 'the address',
    timeoutMs,
    explain,
  });
});

test('name servers go with the lifetime of their advertisement, and at once with a lifetime of 0', {
  skip,
}, async () => {
  using sender = await openSender(rogue);
  const send = (...options: Buffer[]) =>
    sender.send(advertisementFrame({ router: 'fe80::41', hardware: other, routerSeconds: 0, options }));
  send(serversOption(2, 'fd99::55'), domainsOption(600, 'short.example'));
  const has = (text: string) => () => resolvers().includes(text);
  const hasNot = (text: string) => () => !resolvers().includes(text);
  await eventually(has('fd99::55'), { what: 'another name server', timeoutMs, explain });
  await eventually(has('short.example'), { what: 'another domain', timeoutMs, explain });
  await eventually(hasNot('fd99::55'), { what: 'the end of the lifetime', timeoutMs, explain });
  assert.ok(has('short.example')(), resolvers());
  send(domainsOption(0, 'short.example'));
  await eventually(hasNot('short.example'), { what: 'the end of the domain', timeoutMs, explain });
  assert.ok(has('fd99::53')(), resolvers());
});

const leased = (of: LanMachine) => of.inet6Addresses().filter((address) => address.endsWith('/128'));

test('a machine gets an address by DHCP for IPv6, with its hardware address as its id', {
  skip,
}, async () => {
  const explain = () => `${managedRunning.text().slice(-3000)}\n${server.text().slice(-3000)}`;
  await eventually(() => leased(managed).length === 1, { what: 'a lease', timeoutMs, explain });
  assert.match(leased(managed)[0] ?? '', /^fd99::1[0-3][0-9a-f]\/128$/);
  assert.match(server.text(), /DHCPREPLY\(lan0\) fd99::1\S+ 00:03:00:01:02:00:00:00:00:32/);
  const isThere = () => /^resolvers: \S*fd99::53.* lab\.example$/m.test(managedRunning.text());
  await eventually(isThere, { what: 'name servers', timeoutMs, explain });
  // The other one is of advertisements.
  assert.equal(managed.inet6Addresses().length, 2);
});

test('an address that another host has is declined, and the machine gets another one', { skip }, async () => {
  const explain = () => `${conflictedRunning.text().slice(-3000)}\n${server.text().slice(-3000)}`;
  const hasOther = () => leased(conflicted).length === 1 && leased(conflicted)[0] !== `${taken}/128`;
  await eventually(hasOther, { what: 'another address', timeoutMs, explain });
  assert.match(conflictedRunning.text(), new RegExp(`${taken} is declined: another host has it`));
  assert.match(server.text(), /DHCPDECLINE\(lan0\) 00:03:00:01:02:00:00:00:00:99/);
});

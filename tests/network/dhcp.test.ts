// A machine asks dnsmasq for its address. dnsmasq grants two minutes at least, so it is told to make its clients renew early.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import { end, type Lan, type LanMachine, openLan, type Running, reasonToSkip } from './open-lan.ts';

const skip = reasonToSkip;
const timeoutMs = 40_000;
const range = '10.99.0.50,10.99.0.59,2m';
const early = ['--dhcp-option=option:T1,6', '--dhcp-option=option:T2,20'];
const settings = [
  ...['--dhcp-option=option:router,10.99.0.1', '--dhcp-option=option:mtu,1400'],
  '--dhcp-option=121,10.8.0.0/16,10.99.0.9,0.0.0.0/0,10.99.0.1',
];
/** What a host of the lan has, and what the server gives to one machine all the same. */
const taken = '10.99.0.40';
const hardware = { plain: '02:00:00:00:00:11', late: '02:00:00:00:00:12' };

const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
let lan: Lan;
let server: Running;
let machine: LanMachine;
let running: Running;
let late: LanMachine;
let lateRunning: Running;

const serve = () => lan.serve('one', range, ...early, ...settings, `--dhcp-host=${hardware.late},${taken}`);

before(async () => {
  if (skip) return;
  lan = await openLan(scope);
  const host = await lan.addMachine('host', '02:00:00:00:00:10');
  host.ip('addr', 'add', `${taken}/24`, 'dev', 'eth0');
  host.ip('link', 'set', 'eth0', 'up');
  server = await serve();
  machine = await lan.addMachine('plain', hardware.plain);
  late = await lan.addMachine('late', hardware.late);
  running = machine.start();
  lateRunning = late.start();
});

const explain = () => `${running.text().slice(-3000)}\n${server.text().slice(-3000)}`;
const hasAddress = () => machine.addresses().length === 1;
/** How often dnsmasq has written this about a machine. */
const countOf = (word: string, of = hardware.plain) =>
  server
    .text()
    .split('\n')
    .filter((line) => line.includes(`${word}(lan0)`) && line.includes(of)).length;

test('a machine gets an address, routes and an MTU', { skip }, async () => {
  await eventually(hasAddress, { what: 'an address', timeoutMs, explain });
  await eventually(() => machine.ip('route').includes('default'), { what: 'a route', timeoutMs, explain });
  const [address = ''] = machine.addresses();
  assert.match(address, /^10\.99\.0\.5\d\/24$/);
  const routes = machine.ip('route').split('\n');
  const source = `src ${address.replace('/24', '')} metric 1024`;
  for (const route of [
    `default via 10.99.0.1 dev eth0 ${source}`,
    `10.8.0.0/16 via 10.99.0.9 dev eth0 ${source}`,
  ])
    assert.ok(
      routes.some((line) => line.trim() === route),
      routes.join('\n'),
    );
  assert.equal(countOf('DHCPDISCOVER'), 1, server.text());
});

test('the lease is renewed by a message to its server', { skip }, async () => {
  const before = countOf('DHCPACK');
  // One of them may tell the server the name of the machine.
  await eventually(() => countOf('DHCPACK') >= before + 2, { what: 'a renewal', timeoutMs, explain });
  assert.equal(countOf('DHCPDISCOVER'), 1, server.text());
  assert.equal(countOf('DHCPNAK'), 0, server.text());
  assert.ok(hasAddress());
  assert.match(server.text(), /DHCPACK\(lan0\) \S+ \S+ talos-10-99-0-5\d/);
});

test('a server that was away while the lease was to be renewed goes on with it', { skip }, async () => {
  const kept = machine.addresses();
  const before = countOf('DHCPACK');
  await eventually(() => countOf('DHCPACK') > before, { what: 'a renewal', timeoutMs, explain });
  await end(server.child);
  // The renewal is sent meanwhile, and lost.
  await new Promise((resolve) => setTimeout(resolve, 7000));
  assert.deepEqual(machine.addresses(), kept);
  server = await serve();
  await eventually(() => countOf('DHCPACK') > 0, { what: 'an acknowledgement', timeoutMs, explain });
  assert.equal(countOf('DHCPDISCOVER'), 0, server.text());
  assert.deepEqual(machine.addresses(), kept);
});

test('an address that another host has is declined, and the machine gets another one', { skip }, async () => {
  const explainLate = () => `${lateRunning.text().slice(-3000)}\n${server.text()}`;
  await eventually(() => late.addresses().length === 1, {
    what: 'an address',
    timeoutMs,
    explain: explainLate,
  });
  assert.notDeepEqual(late.addresses(), [`${taken}/24`]);
  assert.match(lateRunning.text(), new RegExp(`${taken} is declined: the host with the hardware address`));
});

test('a machine that starts again asks for its address at once, and has it', { skip }, async () => {
  const kept = machine.addresses();
  await end(running.child);
  machine.ip('addr', 'flush', 'dev', 'eth0');
  machine.ip('link', 'set', 'eth0', 'down');
  // A second server on the lan, which would give another address.
  const second = await lan.serve('two', '10.99.0.150,10.99.0.159,2m');
  const before = countOf('DHCPACK');
  running = machine.start();
  await eventually(hasAddress, { what: 'an address', timeoutMs, explain });
  assert.deepEqual(machine.addresses(), kept);
  assert.ok(countOf('DHCPACK') > before, server.text());
  assert.equal(countOf('DHCPDISCOVER'), 0, server.text());
  // It refuses an address that it has not given, and is not believed.
  assert.match(second.text(), /DHCPNAK/);
  await end(second.child);
});

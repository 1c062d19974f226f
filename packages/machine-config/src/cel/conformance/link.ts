import type { ConformanceRows } from './conformance-rows.ts';

/** Test rows for expressions that select links. */
export const linkRows: ConformanceRows = [
  ["mac(link.permanent_addr) == '00:11:22:33:44:55'", 'bool'],
  ["glob('00:1a:*', mac(link.hardware_addr))", 'bool'],
  ["link.driver == 'virtio_net' && link.mtu >= 1500u", 'bool'],
  ["link.kind == '' && link.type == 1", 'bool'],
  ['link.speed_megabits > 1000', 'bool'],
  ['link.link_state', 'bool'],
  ['link.type == talos.resource.definitions.enums.NethelpersLinkType.LINK_ETHER', 'bool'],
  [
    'link.operational_state == talos.resource.definitions.enums.NethelpersOperationalState.OPER_STATE_UP',
    'bool',
  ],
  ['link.vlan.vid == 100u', 'bool'],
  ['link.bond_master.mode == 1 && link.bridge_master.stp.enabled', 'bool'],
  ["link.wireguard.peers.exists(peer, peer.endpoint != '')", 'bool'],
  ["'eth0' in link.alt_names", 'bool'],
  ['has(link.vlan) && link.vlan != null', 'bool'],
  ["link.hardware_addr == b'\\x00\\x11\\x22\\x33\\x44\\x55'", 'bool'],
  [
    "link.permanent_addr == '00:11:22:33:44:55'",
    "! 1:21: found no matching overload for '_==_' applied to '(bytes, string)'",
  ],
  ["mac(link.driver) == ''", "! 1:4: found no matching overload for 'mac' applied to '(string)'"],
  ["mac('00:11')", "! 1:4: found no matching overload for 'mac' applied to '(string)'"],
  [
    'link.mtu >= 1500',
    "! 1:10: found no matching overload for '_>=_' applied to '(uint, int)': number types cannot be mixed: an unsigned number ends in u, as in 120u",
  ],
  ["link.type == 'ether'", "! 1:11: found no matching overload for '_==_' applied to '(int, string)'"],
  [
    "link.name == 'eth0'",
    '! 1:5: undefined field "name": the fields are index, type, link_index, flags, hardware_addr, broadcast_addr, mtu, queue_disc, master_index, operational_state, kind, slave_kind, bus_path, pciid, driver, driver_version, firmware_version, product_id, vendor_id, product, vendor, link_state, speed_megabits, port, duplex, vlan, bridge_master, bond_master, wireguard, permanent_addr, alias, alt_names, vrf_master…',
  ],
  ['link.vlan.nosuch == 1', '! 1:10: undefined field "nosuch": the fields are vid, protocol'],
  [
    'link.speed_megabits > 1000u',
    "! 1:21: found no matching overload for '_>_' applied to '(int, uint)': number types cannot be mixed: an unsigned number ends in u, as in 120u",
  ],
  ['GiB > 1u', '! 1:1: undeclared reference to "GiB"'],
  ['link', 'talos.resource.definitions.network.LinkStatusSpec'],
  ['disk.size > 1u', '! 1:1: undeclared reference to "disk"'],
];

import type { SchemaTable } from '../parse-schema.ts';

/** Documents that configure links. Source: Talos v1.14: machine configuration, keys of the documents. */
export const linkDocuments: SchemaTable = {
  LinkConfig: `
    name str !
    +linkSettings
  `,
  BondConfig: `
    name str !
    hardwareAddr mac
    links strs
    bondMode enum:balance-rr|active-backup|balance-xor|broadcast|802.3ad|balance-tlb|balance-alb
    miimon uint32 ?
    updelay uint32 ?
    downdelay uint32 ?
    useCarrier bool
    xmitHashPolicy enum:layer2|layer3+4|layer2+3|encap2+3|encap3+4
    arpInterval uint32 ?
    arpIpTargets ips
    nsIp6Targets ips
    arpValidate enum:none|active|backup|all|filter|filter-active|filter-backup
    arpAllTargets enum:any|all
    lacpRate enum:slow|fast
    failOverMac enum:none|active|follow ""
    adSelect enum:stable|bandwidth|count
    adActorSysPrio uint16 ?
    adUserPortKey uint16 ?
    adLACPActive enum:on|off
    primary str
    primaryReselect enum:always|better|failure
    resendIGMP uint32 ?
    minLinks uint32 ?
    lpInterval uint32 ?
    packetsPerSlave uint32 ?
    numPeerNotif uint8 ?
    tlbLogicalLb uint8 ?
    allSlavesActive uint8 ?
    peerNotifDelay uint32 ?
    missedMax uint8 ?
    +linkSettings
  `,
  BridgeConfig: `
    name str !
    hardwareAddr mac
    links strs
    stp obj -
      enabled bool
    vlan obj -
      filtering bool
    +linkSettings
  `,
  DummyLinkConfig: `
    name str !
    hardwareAddr mac
    +linkSettings
  `,
  VethConfig: `
    name str !
    peer obj !
      name str !
      +linkSettings
    +linkSettings
  `,
  VLANConfig: `
    name str !
    vlanID uint16
    vlanMode enum:802.1q|802.1ad
    parent str
    +linkSettings
  `,
  VRFConfig: `
    name str !
    hardwareAddr mac
    links strs
    table table !unspec
    +linkSettings
  `,
  WireguardConfig: `
    name str !
    privateKey str
    listenPort int
    firewallMark int
    peers list
      publicKey str
      presharedKey str
      endpoint str
      persistentKeepaliveInterval dur
      allowedIPs prefixes
    +linkSettings
  `,
  LinkAliasConfig: `
    name str !
    selector obj -
      match str
  `,
  EthernetConfig: `
    name str !
    features map:bool
    rings obj
      rx uint32 ?
      tx uint32 ?
      rx-mini uint32 ?
      rx-jumbo uint32 ?
      rx-buf-len uint32 ?
      cqe-size uint32 ?
      tx-push bool
      rx-push bool
      tx-push-buf-len uint32 ?
      tcp-data-split bool
    channels obj
      rx uint32 ?
      tx uint32 ?
      other uint32 ?
      combined uint32 ?
    wakeOnLan enums:phy|unicast|multicast|broadcast|magic|magicsecure|filter
  `,
};

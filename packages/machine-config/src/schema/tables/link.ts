import type { SchemaTable } from '../parse-schema.ts';

/** Documents about links. Source: Talos v1.14: machine configuration, keys of the documents. */
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
    miimon int
    updelay int
    downdelay int
    useCarrier bool
    xmitHashPolicy enum:layer2|layer3+4|layer2+3|encap2+3|encap3+4
    arpInterval int
    arpIpTargets ips
    nsIp6Targets ips
    arpValidate enum:none|active|backup|all|filter|filter-active|filter-backup
    arpAllTargets enum:any|all
    lacpRate enum:slow|fast
    failOverMac enum:none|active|follow
    adSelect enum:stable|bandwidth|count
    adActorSysPrio int
    adUserPortKey int
    adLACPActive enum:on|off
    primary str
    primaryReselect enum:always|better|failure
    resendIGMP int
    minLinks int
    lpInterval int
    packetsPerSlave int
    numPeerNotif int
    tlbLogicalLb int
    allSlavesActive int
    peerNotifDelay int
    missedMax int
    +linkSettings
  `,
  BridgeConfig: `
    name str !
    hardwareAddr mac
    links strs
    stp obj
      enabled bool
    vlan obj
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
    vlanID int
    vlanMode enum:802.1q|802.1ad
    parent str
    +linkSettings
  `,
  VRFConfig: `
    name str !
    hardwareAddr mac
    links strs
    table str !
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
    selector obj
      match str
  `,
  EthernetConfig: `
    name str !
    features map:bool
    rings obj
      rx int
      tx int
      rx-mini int
      rx-jumbo int
      rx-buf-len int
      cqe-size int
      tx-push bool
      rx-push bool
      tx-push-buf-len int
      tcp-data-split bool
    channels obj
      rx int
      tx int
      other int
      combined int
    wakeOnLan strs
  `,
};

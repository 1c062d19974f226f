/** The fields of `machine.network`. Source: Talos v1.14: machine configuration, v1alpha1 document. */
export const legacyNetworkFields = `
hostname str
interfaces list @interface|deviceSelector
  interface str
  deviceSelector obj
    busPath str
    hardwareAddr str
    permanentAddr str
    pciID str
    driver str
    physical bool
  addresses strs
  cidr str
  routes list
    +legacyRouteFields
  bond obj
    interfaces strs !
    deviceSelectors list
      busPath str
      hardwareAddr str
      permanentAddr str
      pciID str
      driver str
      physical bool
    arpIPTarget strs
    mode str !
    xmitHashPolicy str
    lacpRate str
    adActorSystem str
    arpValidate str
    arpAllTargets str
    primary str
    primaryReselect str
    failOverMac str
    adSelect str
    miimon uint32
    updelay uint32
    downdelay uint32
    arpInterval uint32
    resendIgmp uint32
    minLinks uint32
    lpInterval uint32
    packetsPerSlave uint32
    numPeerNotif uint8
    tlbDynamicLb uint8
    allSlavesActive uint8
    useCarrier bool
    adActorSysPrio uint16
    adUserPortKey uint16
    peerNotifyDelay uint32
  bridge obj
    interfaces strs !
    stp obj
      enabled bool
    vlan obj
      vlanFiltering bool
  bridgePort obj
    master str
  vlans list @vlanId
    addresses strs
    cidr str
    routes list !
      +legacyRouteFields
    dhcp bool
    vlanId uint16 !
    mtu uint32
    +legacyVip
    +legacyDhcpOptions
  mtu int
  dhcp bool
  ignore bool
  dummy bool
  +legacyDhcpOptions
  wireguard obj
    privateKey str
    listenPort int
    firewallMark int
    peers list
      publicKey str
      endpoint str
      persistentKeepaliveInterval dur
      allowedIPs strs
  +legacyVip
nameservers strs
searchDomains strs
extraHostEntries list
  ip str !
  aliases strs !
kubespan obj
  enabled bool
  advertiseKubernetesNetworks bool
  allowDownPeerBypass bool
  harvestExtraEndpoints bool
  mtu uint32 ?
  filters obj
    endpoints strs
    excludeAdvertisedNetworks strs
disableSearchDomain bool
`;

import type { SchemaTable } from '../parse-schema.ts';

/** Fields shared by several documents. A line `+name` in a table inserts the fragment. */
export const schemaFragments: SchemaTable = {
  linkSettings: `
    up bool
    mtu uint32
    addresses list
      address prefix !
      routePriority uint32 ?
    routes list
      destination prefix
      gateway ip
      source ip
      metric uint32
      mtu uint32
      table table
    multicast bool
  `,
  volumeProvisioning: `
    provisioning obj -
      diskSelector obj -
        match str ~
      grow bool
      minSize limit ~
      maxSize limit
  `,
  volumeEncryption: `
    encryption obj -
      provider enum:none|luks2 !none
      keys list !
        slot int !
        static obj
          passphrase str
        nodeID obj
        kms obj
          endpoint str !
        tpm obj
          options obj
            pcrs ints
          checkSecurebootStatusOnEnroll bool
        lockToState bool
      cipher str
      keySize uint64
      blockSize uint64
      options strs
      allowDiscards bool
  `,
  trimAndScrub: `
    trim obj
      enabled bool
      interval dur ?
    scrub obj
      enabled bool
      interval dur ?
  `,
  resources: `
    resources obj
      requests free
      limits free
  `,
  legacyRouteFields: `
    network str !
    gateway str !
    source str
    metric uint32
    mtu uint32
  `,
  legacyVip: `
    vip obj
      ip str
      equinixMetal obj
        apiToken str !
      hcloud obj
        apiToken str !
  `,
  legacyDhcpOptions: `
    dhcpOptions obj
      routeMetric uint32 !
      ipv4 bool
      ipv6 bool
      duidv6 str
  `,
  legacyExtraVolumes: `
    extraVolumes list
      hostPath str !
      mountPath str !
      readonly bool -
  `,
  legacyEncryption: `
    provider str !
    keys list !
      static obj
        passphrase str
      nodeID obj
      kms obj
        endpoint str !
      slot int !
      tpm obj
        checkSecurebootStatusOnEnroll bool
    cipher str
    keySize uint64
    blockSize uint64
    options strs
  `,
};

/** The options that the client knows. Source: RFC 2132. */
export const optionCodes = {
  subnetMask: 1,
  routers: 3,
  nameServers: 6,
  hostname: 12,
  domainName: 15,
  interfaceMtu: 26,
  timeServers: 42,
  requestedAddress: 50,
  leaseTime: 51,
  overload: 52,
  messageType: 53,
  serverId: 54,
  parameterList: 55,
  message: 56,
  longestMessage: 57,
  renewalTime: 58,
  rebindingTime: 59,
  clientId: 61,
  relayAgent: 82,
  searchDomains: 119,
  classlessRoutes: 121,
} as const;

/** Source: RFC 2132, section 9.6. */
export const messageTypes = {
  discover: 1,
  offer: 2,
  request: 3,
  decline: 4,
  ack: 5,
  nak: 6,
  release: 7,
  inform: 8,
} as const;

import type { SchemaTable } from '../parse-schema.ts';

/**
 * Documents that configure the running system. Source: Talos v1.14: machine configuration, keys of the
 * documents.
 */
export const runtimeDocuments: SchemaTable = {
  EnvironmentConfig: `
    variables map:str !
  `,
  EventSinkConfig: `
    endpoint str !
  `,
  KmsgLogConfig: `
    name str !
    url url !
  `,
  KernelModuleConfig: `
    name str !
    parameters strs
  `,
  SysctlConfig: `
    params map:str !
  `,
  SysfsConfig: `
    params map:str !
  `,
  UdevRulesConfig: `
    rules strs
  `,
  OOMConfig: `
    triggerExpression str
    cgroupRankingExpression str
    strictCgroupClassOrdering bool
    sampleInterval dur
  `,
  WatchdogTimerConfig: `
    device str !
    timeout dur
  `,
  SecurityProfileConfig: `
    workloadIsolation bool
  `,
  EtcFileConfig: `
    name str !
    mode mode !
    contents str !
  `,
  UnattendedInstallConfig: `
    reboot bool
    installer obj !
      image str
    provisioning obj !
      diskSelector obj
        match str
      wipe bool
  `,
  ExtensionServiceConfig: `
    name str !
    configFiles list @mountPath
      content str !
      mountPath str !
    environment strs
  `,
};

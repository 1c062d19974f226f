import type { SchemaTable } from '../parse-schema.ts';

/**
 * Documents that configure registries, the container runtime and containers. Source: Talos v1.14: machine
 * configuration, keys of the documents.
 */
export const criDocuments: SchemaTable = {
  RegistryMirrorConfig: `
    name str !
    endpoints list
      url url !
      overridePath bool
    skipFallback bool
  `,
  RegistryAuthConfig: `
    name str !
    username str
    password str
    auth str
    identityToken str
  `,
  RegistryTLSConfig: `
    name str !
    clientIdentity obj
      cert str
      key str
    ca str
    insecureSkipVerify bool
  `,
  ImageCacheConfig: `
    local obj !
      enabled bool
  `,
  CRICustomizationConfig: `
    name str !
    content str !
  `,
  CRIBaseRuntimeSpecConfig: `
    overrides free =
  `,
  ContainerConfig: `
    name str !
    image str !
    entrypoint strs
    args strs
    workingDir str
    runAs obj
      uid int
      gid int
    environment strs
    mounts list
      userVolume obj
        name str !
        destination str !
        options strs
      tmpfs obj
        destination str !
        size str
        options strs
      hostPath obj
        source str !
        destination str !
        options strs
    security obj
      profile str
      capabilities obj
        add strs
        drop strs
    network obj
      mode str
    resources obj
      limits obj
        cpu str
        memory str
    dependsOn obj
      paths strs
      networks strs
      time bool
      containers strs
  `,
};

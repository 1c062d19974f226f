// Manifests of the workloads that tests run. Their only image is that of busybox.
import { busyboxImage } from '../../rootfs/kubernetes/image-table.ts';

/** Pods of the tests may run on control planes, too: these have most of the nodes. */
const anywhere = [{ operator: 'Exists' }];
const labels = (app: string) => ({ matchLabels: { app } });

/** The web page of the deployment. */
export const pageOf = (text: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'page' },
  data: { 'index.html': `${text}\n` },
});

/** Three web servers, each on a node of its own, which log that they have started. */
export const webDeployment = (version: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: 3,
    selector: labels('web'),
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        tolerations: anywhere,
        terminationGracePeriodSeconds: 1,
        topologySpreadConstraints: [
          {
            ...{ maxSkew: 1, topologyKey: 'kubernetes.io/hostname', labelSelector: labels('web') },
            whenUnsatisfiable: 'DoNotSchedule',
            // The pods of an update count on their own.
            matchLabelKeys: ['pod-template-hash'],
          },
        ],
        containers: [
          {
            name: 'web',
            image: busyboxImage,
            command: ['sh', '-c', 'echo "$VERSION on $NODE" && exec httpd -f -p 8080 -h /www'],
            env: [
              { name: 'VERSION', value: version },
              { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
            ],
            readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 1, timeoutSeconds: 5 },
            volumeMounts: [{ name: 'page', mountPath: '/www' }],
          },
        ],
        volumes: [{ name: 'page', configMap: { name: 'page' } }],
      },
    },
  },
});

export const webService = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web' },
  spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
};

/** A pod on each node, from which tests ask. */
export const askers = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'asker' },
  spec: {
    selector: labels('asker'),
    template: {
      metadata: { labels: { app: 'asker' } },
      spec: {
        tolerations: anywhere,
        terminationGracePeriodSeconds: 1,
        containers: [{ name: 'asker', image: busyboxImage, command: ['sleep', '86400'] }],
      },
    },
  },
};

/** Two pods that look up the API server by its name and end. */
export const lookupJob = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'lookup' },
  spec: {
    ...{ completions: 2, parallelism: 2, backoffLimit: 4 },
    template: {
      spec: {
        restartPolicy: 'Never',
        containers: [
          {
            name: 'lookup',
            image: busyboxImage,
            command: ['nslookup', 'kubernetes.default.svc.cluster.local'],
          },
        ],
      },
    },
  },
};

/** A web server at port 18080 of a node. */
export const hostPortPod = (nodeName: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'page' },
  spec: {
    ...{ nodeName, terminationGracePeriodSeconds: 1 },
    containers: [
      {
        ...{ name: 'page', image: busyboxImage },
        command: ['sh', '-c', 'mkdir /www && echo page >/www/index.html && exec httpd -f -p 8080 -h /www'],
        ports: [{ containerPort: 8080, hostPort: 18080 }],
      },
    ],
  },
});

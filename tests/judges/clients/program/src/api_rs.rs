//! The calls of the crate talos-api-rs, through its own functions. Its reader of a talosconfig is left out: it takes the
//! certificates there for PEM, although they are base64, and writes the key into the folder of temporary files of all users.

use talos_api_rs::resources::{
    ApplyConfigurationRequest, DiskUsageRequest, DmesgRequest, GenerateClientConfigurationRequest,
    ListRequest, LogsRequest, NetstatRequest, ReadRequest,
};
use talos_api_rs::{TalosClient, TalosClientConfig};

use crate::report;

pub async fn run(endpoint: &str, folder: &str) {
    let config = TalosClientConfig::builder(endpoint)
        .ca_cert(format!("{folder}/ca.crt"))
        .client_cert(format!("{folder}/client.crt"))
        .client_key(format!("{folder}/client.key"))
        .build();
    let client = match TalosClient::new(config).await {
        Ok(client) => client,
        Err(error) => return println!("failed connect: {error}"),
    };
    let read = |path: &str| client.read(ReadRequest::new(path));
    report("version", async {
        client.machine().version(()).await.map(|it| it.into_inner())
    })
    .await;
    report("hostname", async {
        client
            .machine()
            .hostname(())
            .await
            .map(|it| it.into_inner())
    })
    .await;
    report("memory", async {
        client
            .memory()
            .await
            .map(|it| it.first().map(|one| one.total() > 0))
    })
    .await;
    report("load_avg", client.load_avg()).await;
    report("cpu_info", async {
        client.cpu_info().await.map(|it| it.total_cpus())
    })
    .await;
    report("disk_stats", client.disk_stats()).await;
    report("network_device_stats", client.network_device_stats()).await;
    report("mounts", client.mounts()).await;
    report("processes", async {
        client.processes().await.map(|it| it.total_processes() > 0)
    })
    .await;
    report("list", async {
        client
            .list(ListRequest::new("/"))
            .await
            .map(|it| it.len() > 0)
    })
    .await;
    report("read", async {
        read("/proc/version")
            .await
            .map(|it| it.as_string_lossy().starts_with("Linux"))
    })
    .await;
    report(
        "disk_usage",
        client.disk_usage(DiskUsageRequest::new("/system")),
    )
    .await;
    report("logs", async {
        client
            .logs(
                LogsRequest::builder("machined")
                    .namespace("system")
                    .tail(5)
                    .build(),
            )
            .await
            .map(|it| it.len() > 0)
    })
    .await;
    report("dmesg", async {
        client
            .dmesg(DmesgRequest::new())
            .await
            .map(|it| it.len() > 0)
    })
    .await;
    report("netstat", async {
        client.netstat(NetstatRequest::new()).await.map(|_| ())
    })
    .await;
    report("etcd_member_list", async {
        client.etcd_member_list(Default::default()).await
    })
    .await;
    report("etcd_status", client.etcd_status()).await;
    report("etcd_alarm_list", client.etcd_alarm_list()).await;
    let roles = GenerateClientConfigurationRequest::builder()
        .role("os:reader")
        .crt_ttl_hours(1)
        .build();
    report("generate_client_configuration", async {
        client
            .generate_client_configuration(roles)
            .await
            .map(|_| ())
    })
    .await;
    let nothing = ApplyConfigurationRequest::builder()
        .config_yaml("machine: [")
        .dry_run(true)
        .build();
    report("apply_configuration", async {
        client.apply_configuration(nothing).await.map(|_| ())
    })
    .await;
}

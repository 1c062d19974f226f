//! The calls of the crate talos-rust-client, which are those of its generated services.

use talos_rust_client::generated::google::protobuf::{Duration, Empty};
use talos_rust_client::machine::*;
use talos_rust_client::talosconfig::TalosConfig;
use talos_rust_client::{
    ClusterServiceClient, InspectServiceClient, MachineServiceClient, StorageServiceClient,
    TalosConnector, TimeServiceClient,
};
use tonic::{Response, Status, Streaming};

use crate::report;

pub async fn run(endpoint: &str, folder: &str) {
    let file = |name: &str| std::fs::read(format!("{folder}/{name}")).unwrap_or_default();
    let connector = TalosConnector::new(endpoint)
        .ca_pem(file("ca.crt"))
        .cert_pem(file("client.crt"))
        .key_pem(file("client.key"));
    let channel = match connector.connect().await {
        Ok(channel) => channel,
        Err(error) => return println!("failed connect: {error}: {error:?}"),
    };
    let client = MachineServiceClient::new(channel.clone());
    macro_rules! call {
        ($name:ident, $request:expr) => {{
            let mut client = client.clone();
            let answer = async {
                client
                    .$name($request)
                    .await
                    .map(|it| it.into_inner().messages.len())
            };
            report(stringify!($name), answer).await;
        }};
    }
    macro_rules! stream {
        ($name:ident, $request:expr) => {{
            let mut client = client.clone();
            report(stringify!($name), async {
                first(client.$name($request).await).await
            })
            .await;
        }};
    }
    report("talosconfig", async {
        TalosConfig::from_file(format!("{folder}/talosconfig")).map(|it| it.contexts.len())
    })
    .await;
    call!(version, Empty::default());
    call!(hostname, Empty::default());
    call!(memory, Empty::default());
    call!(load_avg, Empty::default());
    call!(cpu_info, Empty::default());
    call!(system_stat, Empty::default());
    call!(disk_stats, Empty::default());
    call!(network_device_stats, Empty::default());
    call!(mounts, Empty::default());
    call!(processes, Empty::default());
    call!(service_list, Empty::default());
    call!(etcd_member_list, EtcdMemberListRequest::default());
    call!(etcd_status, Empty::default());
    call!(etcd_alarm_list, Empty::default());
    call!(netstat, NetstatRequest::default());
    call!(containers, ContainersRequest::default());
    call!(stats, StatsRequest::default());
    let roles = vec!["os:reader".to_string()];
    let crt_ttl = Some(Duration {
        seconds: 3600,
        nanos: 0,
    });
    call!(
        generate_client_configuration,
        GenerateClientConfigurationRequest { roles, crt_ttl }
    );
    let data = b"machine: [".to_vec();
    call!(
        apply_configuration,
        ApplyConfigurationRequest {
            data,
            dry_run: true,
            ..Default::default()
        }
    );
    call!(bootstrap, BootstrapRequest::default());
    stream!(
        list,
        ListRequest {
            root: "/".to_string(),
            ..Default::default()
        }
    );
    stream!(
        disk_usage,
        DiskUsageRequest {
            paths: vec!["/system".to_string()],
            ..Default::default()
        }
    );
    stream!(
        read,
        ReadRequest {
            path: "/proc/version".to_string()
        }
    );
    stream!(
        logs,
        LogsRequest {
            namespace: "system".to_string(),
            id: "machined".to_string(),
            tail_lines: 5,
            ..Default::default()
        }
    );
    stream!(dmesg, DmesgRequest::default());
    stream!(
        events,
        EventsRequest {
            tail_events: -1,
            ..Default::default()
        }
    );
    let mut time = TimeServiceClient::new(channel.clone());
    report("time", async {
        time.time(Empty::default())
            .await
            .map(|it| it.into_inner().messages.len())
    })
    .await;
    let mut storage = StorageServiceClient::new(channel.clone());
    report("disks", async {
        storage
            .disks(Empty::default())
            .await
            .map(|it| it.into_inner().messages.len())
    })
    .await;
    let mut inspect = InspectServiceClient::new(channel.clone());
    let dependencies = async {
        inspect
            .controller_runtime_dependencies(Empty::default())
            .await
            .map(|it| it.into_inner().messages.len())
    };
    report("controller_runtime_dependencies", dependencies).await;
    let mut cluster = ClusterServiceClient::new(channel);
    let wait_timeout = Some(Duration {
        seconds: 20,
        nanos: 0,
    });
    let request = talos_rust_client::cluster::HealthCheckRequest {
        wait_timeout,
        cluster_info: None,
    };
    report("health_check", async {
        first(cluster.health_check(request).await).await
    })
    .await;
}

/// Whether a stream has answered with something.
async fn first<Message>(
    stream: Result<Response<Streaming<Message>>, Status>,
) -> Result<&'static str, Status> {
    match stream?.into_inner().message().await? {
        Some(_) => Ok("a message"),
        None => Err(Status::not_found("the stream was empty")),
    }
}

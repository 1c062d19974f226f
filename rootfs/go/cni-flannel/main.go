// CNI plugin `flannel`: gives a pod its network by calling `bridge` with the subnet and the MTU of this node, which flanneld
// writes into a file. It replaces the plugin of the flannel project, whose module cannot be built from every module proxy, so that
// the configuration of that project works unchanged. Source: flannel: CNI plugin.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/containernetworking/cni/pkg/invoke"
	"github.com/containernetworking/cni/pkg/skel"
	"github.com/containernetworking/cni/pkg/types"
	"github.com/containernetworking/cni/pkg/version"
)

// Source: CNI specification 1.1.0, error codes.
const pluginNotAvailable = 50

const subnetPoll = 100 * time.Millisecond

// The configuration that the container runtime sends.
type pluginConfig struct {
	CNIVersion    string          `json:"cniVersion"`
	Name          string          `json:"name"`
	SubnetFile    string          `json:"subnetFile"`
	SubnetWaitMs  int             `json:"subnetWaitMs"`
	DataDir       string          `json:"dataDir"`
	Delegate      map[string]any  `json:"delegate"`
	RuntimeConfig map[string]any  `json:"runtimeConfig"`
	PrevResult    json.RawMessage `json:"prevResult"`
}

// The subnets of this node and the networks of all nodes; one of each for IPv4 and IPv6, as far as the cluster has them.
type nodeNetwork struct {
	networks []netip.Prefix
	subnets  []netip.Prefix
	mtu      int
	masks    bool
}

func main() {
	skel.PluginMainFuncs(
		skel.CNIFuncs{Add: add, Check: check, Del: remove, Status: status},
		version.All,
		"CNI plugin flannel (nodewright)",
	)
}

func add(args *skel.CmdArgs) error {
	config, err := parseConfig(args.StdinData)
	if err != nil {
		return err
	}
	network, err := awaitNodeNetwork(config.SubnetFile, time.Duration(config.SubnetWaitMs)*time.Millisecond)
	if err != nil {
		return err
	}
	delegate, err := delegateConfig(config, network)
	if err != nil {
		return err
	}
	text, err := json.Marshal(delegate)
	if err != nil {
		return err
	}
	// Saved before the call: a call that fails halfway is undone with the same configuration.
	if err := save(savedFile(config, args), text); err != nil {
		return err
	}
	result, err := invoke.DelegateAdd(context.Background(), delegate["type"].(string), text, nil)
	if err != nil {
		return err
	}
	return types.PrintResult(result, config.CNIVersion)
}

func check(args *skel.CmdArgs) error {
	config, err := parseConfig(args.StdinData)
	if err != nil {
		return err
	}
	delegate, err := readSaved(savedFile(config, args))
	if err != nil {
		return err
	}
	if len(config.PrevResult) > 0 {
		delegate["prevResult"] = config.PrevResult
	}
	text, err := json.Marshal(delegate)
	if err != nil {
		return err
	}
	return invoke.DelegateCheck(context.Background(), typeOf(delegate), text, nil)
}

// remove succeeds for a container that it does not know: the runtime repeats the call until it succeeds.
func remove(args *skel.CmdArgs) error {
	config, err := parseConfig(args.StdinData)
	if err != nil {
		return err
	}
	path := savedFile(config, args)
	delegate, err := readSaved(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	text, err := json.Marshal(delegate)
	if err != nil {
		return err
	}
	if err := invoke.DelegateDel(context.Background(), typeOf(delegate), text, nil); err != nil {
		return err
	}
	return os.Remove(path)
}

// status tells whether pods can be added: flanneld has written its file.
func status(args *skel.CmdArgs) error {
	config, err := parseConfig(args.StdinData)
	if err != nil {
		return err
	}
	if _, err := readNodeNetwork(config.SubnetFile); err != nil {
		return types.NewError(pluginNotAvailable, "flanneld is not ready", err.Error())
	}
	return nil
}

func parseConfig(text []byte) (*pluginConfig, error) {
	config := &pluginConfig{SubnetFile: "/run/flannel/subnet.env", SubnetWaitMs: 10_000, DataDir: "/var/lib/cni/flannel"}
	if err := json.Unmarshal(text, config); err != nil {
		return nil, types.NewError(types.ErrDecodingFailure, "the configuration is not valid", err.Error())
	}
	return config, nil
}

// awaitNodeNetwork waits for flanneld, which writes its file soon after the node got the configuration of this plugin. Without the
// wait the first pods of a node fail, and the kubelet pauses ten seconds and more before it tries them again.
func awaitNodeNetwork(path string, limit time.Duration) (*nodeNetwork, error) {
	end := time.Now().Add(limit)
	for {
		network, err := readNodeNetwork(path)
		if !errors.Is(err, os.ErrNotExist) || !time.Now().Before(end) {
			return network, err
		}
		time.Sleep(subnetPoll)
	}
}

// readNodeNetwork reads the file of flanneld, with lines such as FLANNEL_SUBNET=10.244.1.1/24.
func readNodeNetwork(path string) (*nodeNetwork, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("flanneld has not written the subnet of this node: %w", err)
	}
	values := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if name, value, found := strings.Cut(strings.TrimSpace(line), "="); found {
			values[name] = value
		}
	}
	network := &nodeNetwork{masks: values["FLANNEL_IPMASQ"] == "true"}
	for _, family := range []string{"", "IPV6_"} {
		subnet := values["FLANNEL_"+family+"SUBNET"]
		if subnet == "" {
			continue
		}
		prefix, err := netip.ParsePrefix(subnet)
		if err != nil {
			return nil, fmt.Errorf("%s: FLANNEL_%sSUBNET: %w", path, family, err)
		}
		network.subnets = append(network.subnets, prefix.Masked())
		// The network of a dual-stack cluster may be a list.
		for text := range strings.SplitSeq(values["FLANNEL_"+family+"NETWORK"], ",") {
			prefix, err := netip.ParsePrefix(strings.TrimSpace(text))
			if err != nil {
				return nil, fmt.Errorf("%s: FLANNEL_%sNETWORK: %w", path, family, err)
			}
			network.networks = append(network.networks, prefix.Masked())
		}
	}
	if len(network.subnets) == 0 {
		return nil, fmt.Errorf("%s names no FLANNEL_SUBNET", path)
	}
	if network.mtu, err = strconv.Atoi(values["FLANNEL_MTU"]); err != nil {
		return nil, fmt.Errorf("%s: FLANNEL_MTU: %w", path, err)
	}
	return network, nil
}

// delegateConfig returns the configuration of the plugin that does the work. Fields of `delegate` win over those of the node.
func delegateConfig(config *pluginConfig, network *nodeNetwork) (map[string]any, error) {
	delegate := map[string]any{
		"type": "bridge",
		"mtu":  network.mtu,
		// Either flanneld or the bridge replaces the addresses of pods in packets to other networks.
		"ipMasq": !network.masks,
	}
	for _, name := range []string{"name", "cniVersion"} {
		if _, found := config.Delegate[name]; found {
			return nil, fmt.Errorf("delegate must not have the field %q", name)
		}
	}
	if ipam, found := config.Delegate["ipam"]; found {
		if _, isMap := ipam.(map[string]any); !isMap {
			return nil, errors.New("ipam of delegate is not a map")
		}
	}
	for name, value := range config.Delegate {
		delegate[name] = value
	}
	if typeOf(delegate) == "" {
		return nil, errors.New("type of delegate is not a text")
	}
	if _, found := delegate["isGateway"]; !found && delegate["type"] == "bridge" {
		delegate["isGateway"] = true
	}
	delegate["name"] = config.Name
	delegate["cniVersion"] = config.CNIVersion
	if len(config.RuntimeConfig) > 0 {
		delegate["runtimeConfig"] = config.RuntimeConfig
	}
	ipam := map[string]any{"type": "host-local"}
	if given, isMap := delegate["ipam"].(map[string]any); isMap {
		for name, value := range given {
			ipam[name] = value
		}
	}
	ranges := []any{}
	for _, subnet := range network.subnets {
		ranges = append(ranges, []any{map[string]any{"subnet": subnet.String()}})
	}
	ipam["ranges"] = ranges
	routes, _ := ipam["routes"].([]any)
	for _, prefix := range network.networks {
		routes = append(routes, map[string]any{"dst": prefix.String()})
	}
	ipam["routes"] = routes
	delegate["ipam"] = ipam
	return delegate, nil
}

func typeOf(delegate map[string]any) string {
	name, _ := delegate["type"].(string)
	return name
}

// The configuration with which a container was added, kept because the subnet can be another one when it is removed.
func savedFile(config *pluginConfig, args *skel.CmdArgs) string {
	return filepath.Join(config.DataDir, args.ContainerID)
}

func save(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	draft, err := os.OpenFile(path+".draft", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = draft.Write(text)
	// Without it a crash of the machine could leave an empty file, with which no call to remove the container succeeds.
	if err := errors.Join(err, draft.Sync(), draft.Close()); err != nil {
		return err
	}
	return os.Rename(draft.Name(), path)
}

func readSaved(path string) (map[string]any, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var delegate map[string]any
	if err := json.Unmarshal(text, &delegate); err != nil {
		return nil, fmt.Errorf("%s is not valid: %w", path, err)
	}
	return delegate, nil
}

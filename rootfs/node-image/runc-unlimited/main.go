// runc for nodes whose control groups have no controllers of processor, memory and processes: on a host with control groups of
// version 1 those belong to the host. runc would fail for every pod, because containerd always sets shares of the processor. This
// program removes such limits from the specification of a new container and executes runc.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

const runc = "/usr/bin/runc"

// Parts of linux.resources that need controllers. Source: OCI runtime specification, Linux: control groups.
var limits = []string{"blockIO", "cpu", "hugepageLimits", "memory", "network", "pids", "rdma", "unified"}

func main() {
	arguments := os.Args[1:]
	// Limits of a running container cannot change either.
	if slices.Contains(arguments, "update") {
		return
	}
	if slices.Contains(arguments, "create") || slices.Contains(arguments, "run") {
		if err := removeLimits(filepath.Join(bundleOf(arguments), "config.json")); err != nil {
			fail(err)
		}
	}
	fail(syscall.Exec(runc, append([]string{runc}, arguments...), os.Environ()))
}

func fail(err error) {
	fmt.Fprintf(os.Stderr, "runc-unlimited: %v\n", err)
	os.Exit(1)
}

// The folder of the container; the current one unless a flag names it.
func bundleOf(arguments []string) string {
	for at, argument := range arguments {
		name, value, hasValue := strings.Cut(argument, "=")
		if name != "--bundle" && name != "-b" {
			continue
		}
		if hasValue {
			return value
		}
		if at+1 < len(arguments) {
			return arguments[at+1]
		}
	}
	return "."
}

// removeLimits rewrites the specification. Values that it does not know stay as they are.
func removeLimits(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var spec map[string]json.RawMessage
	if err := json.Unmarshal(text, &spec); err != nil {
		return err
	}
	var linux, resources map[string]json.RawMessage
	if spec["linux"] == nil {
		return nil
	}
	if err := json.Unmarshal(spec["linux"], &linux); err != nil {
		return err
	}
	if linux["resources"] == nil {
		return nil
	}
	if err := json.Unmarshal(linux["resources"], &resources); err != nil {
		return err
	}
	for _, name := range limits {
		delete(resources, name)
	}
	if linux["resources"], err = json.Marshal(resources); err != nil {
		return err
	}
	if spec["linux"], err = json.Marshal(linux); err != nil {
		return err
	}
	changed, err := json.Marshal(spec)
	if err != nil || bytes.Equal(changed, text) {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, changed, info.Mode().Perm())
}

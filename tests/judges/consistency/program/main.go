// Reads a history of operations on registers, a line of JSON for each, and asks porcupine whether it is linearizable.
// It prints `{"result": "Ok", "operations": 12}`; the result is also Illegal, or Unknown when the time was not enough.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"time"

	"github.com/anishathalye/porcupine"
)

// An operation as it is in the file. A write without an end may have been done at any time after its start, or never.
type record struct {
	Client  int     `json:"client"`
	Key     string  `json:"key"`
	Kind    string  `json:"kind"`
	Value   string  `json:"value"`
	Start   float64 `json:"start"`
	End     float64 `json:"end"`
	Unknown bool    `json:"unknown"`
}

type input struct {
	key     string
	isWrite bool
	value   string
}

// A register for each key, empty at first.
var registers = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		keys := map[string]int{}
		var parts [][]porcupine.Operation
		for _, operation := range history {
			key := operation.Input.(input).key
			index, found := keys[key]
			if !found {
				index = len(parts)
				keys[key] = index
				parts = append(parts, nil)
			}
			parts[index] = append(parts[index], operation)
		}
		return parts
	},
	Init: func() interface{} { return "" },
	Step: func(state, in, out interface{}) (bool, interface{}) {
		operation := in.(input)
		if operation.isWrite {
			return true, operation.value
		}
		return out.(string) == state.(string), state
	},
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "history-checker:", err)
		os.Exit(2)
	}
}

func run() error {
	if len(os.Args) != 3 {
		return fmt.Errorf("usage: history-checker FILE SECONDS")
	}
	seconds, err := strconv.Atoi(os.Args[2])
	if err != nil {
		return err
	}
	file, err := os.Open(os.Args[1])
	if err != nil {
		return err
	}
	defer file.Close()
	var history []porcupine.Operation
	unknown := 1 << 20
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var read record
		if err := json.Unmarshal(lines.Bytes(), &read); err != nil {
			return err
		}
		operation := porcupine.Operation{
			ClientId: read.Client,
			Input:    input{read.Key, read.Kind == "write", read.Value},
			Call:     int64(read.Start * 1e6),
			Output:   read.Value,
			Return:   int64(read.End * 1e6),
		}
		if read.Unknown {
			// A read without a result says nothing.
			if read.Kind != "write" {
				continue
			}
			// Its client goes on, so the write that may still happen belongs to nobody else.
			unknown++
			operation.ClientId = unknown
			operation.Return = math.MaxInt64
		}
		history = append(history, operation)
	}
	if err := lines.Err(); err != nil {
		return err
	}
	result := porcupine.CheckOperationsTimeout(registers, history, time.Duration(seconds)*time.Second)
	return json.NewEncoder(os.Stdout).Encode(map[string]interface{}{"result": string(result), "operations": len(history)})
}

// Command sdks writes the packages of a Pulumi schema for the languages whose generators are part of the engine.
//
//	sdks SCHEMA FOLDER LANGUAGE...
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	golang "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

const tool = "tunnelplane"

func main() {
	if len(os.Args) < 4 {
		fail(fmt.Errorf("usage: sdks SCHEMA FOLDER LANGUAGE..."))
	}
	text, err := os.ReadFile(os.Args[1])
	fail(err)
	for _, language := range os.Args[3:] {
		// Generators change what they read, so each reads it anew.
		var spec schema.PackageSpec
		fail(json.Unmarshal(text, &spec))
		loader := schema.NewNullLoader()
		pkg, diagnostics, err := schema.BindSpec(spec, loader, schema.ValidationOptions{})
		fail(err)
		if diagnostics.HasErrors() {
			fail(diagnostics)
		}
		files, err := generate(language, pkg)
		fail(err)
		for name, content := range files {
			path := filepath.Join(os.Args[2], language, name)
			fail(os.MkdirAll(filepath.Dir(path), 0o755))
			fail(os.WriteFile(path, content, 0o644))
		}
		fmt.Printf("%s: %d files\n", language, len(files))
	}
}

func generate(language string, pkg *schema.Package) (map[string][]byte, error) {
	switch language {
	case "python":
		return python.GeneratePackage(tool, pkg, nil, nil)
	case "go":
		return golang.GeneratePackage(tool, pkg, nil)
	case "nodejs":
		return nodejs.GeneratePackage(tool, pkg, nil, nil, false, nil)
	default:
		return nil, fmt.Errorf("there is no generator for %q here; there are go, nodejs, python", language)
	}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

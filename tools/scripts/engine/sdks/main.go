// Command sdks writes the packages of a Pulumi schema, each by Pulumi's own generator for its language.
//
//	sdks SCHEMA LOGO FOLDER LANGUAGE...
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	dotnet "github.com/pulumi/pulumi-dotnet/pulumi-language-dotnet/v3/codegen"
	"github.com/pulumi/pulumi-java/pkg/codegen/java"
	golang "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

const tool = "tunnelplane"

func main() {
	if len(os.Args) < 5 {
		fail(fmt.Errorf("usage: sdks SCHEMA LOGO FOLDER LANGUAGE..."))
	}
	// The generator for .NET fetches the logo by its URL.
	http.DefaultTransport.(*http.Transport).RegisterProtocol("file", http.NewFileTransport(http.Dir("/")))
	text, err := os.ReadFile(os.Args[1])
	fail(err)
	for _, language := range os.Args[4:] {
		// Generators change what they read, so each reads it anew.
		var spec schema.PackageSpec
		fail(json.Unmarshal(text, &spec))
		loader := schema.NewNullLoader()
		pkg, diagnostics, err := schema.BindSpec(spec, loader, schema.ValidationOptions{})
		fail(err)
		if diagnostics.HasErrors() {
			fail(diagnostics)
		}
		pkg.LogoURL = "file://" + filepath.ToSlash(os.Args[2])
		files, err := generate(language, pkg)
		fail(err)
		for name, content := range files {
			path := filepath.Join(os.Args[3], language, name)
			fail(os.MkdirAll(filepath.Dir(path), 0o755))
			fail(os.WriteFile(path, content, 0o644))
		}
		fmt.Printf("%s: %d files\n", language, len(files))
	}
}

func generate(language string, pkg *schema.Package) (map[string][]byte, error) {
	switch language {
	case "dotnet":
		return dotnet.GeneratePackage(tool, pkg, nil, nil)
	case "java":
		return java.GeneratePackage(tool, pkg, nil, nil, false, false)
	case "python":
		return python.GeneratePackage(tool, pkg, nil, nil)
	case "go":
		return golang.GeneratePackage(tool, pkg, nil)
	case "nodejs":
		return nodejs.GeneratePackage(tool, pkg, nil, nil, false, nil)
	default:
		return nil, fmt.Errorf("there is no generator for %q here; there are dotnet, go, java, nodejs, python", language)
	}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

"""Parses a generated package for .NET: its C# with a grammar of it, its project file as XML. Prints what it found as JSON."""

import json
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import tree_sitter_c_sharp
from tree_sitter import Language, Parser

folder = Path(sys.argv[1])
parser = Parser(Language(tree_sitter_c_sharp.language()))
sources = sorted(folder.rglob("*.cs"))
mistakes = [str(file) for file in sources if parser.parse(file.read_bytes()).root_node.has_error]
[project] = folder.glob("*.csproj")
properties = {}
for group in ElementTree.parse(project).getroot().findall("PropertyGroup"):
    properties.update({element.tag: element.text for element in group})
print(json.dumps({"files": len(sources), "mistakes": mistakes, "properties": properties}))

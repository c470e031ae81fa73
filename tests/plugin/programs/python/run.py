"""Runs a Pulumi program in Python for the language host of the tests: run.py PROGRAM."""

import asyncio
import json
import os
import runpy
import sys

from pulumi.runtime import Settings, configure, run_in_stack, set_all_config

env = os.environ
configure(
    Settings(
        project=env["PULUMI_PROJECT"],
        stack=env["PULUMI_STACK"],
        organization=env["PULUMI_ORGANIZATION"],
        monitor=env["PULUMI_MONITOR"],
        engine=env["PULUMI_ENGINE"],
        parallel=int(env["PULUMI_PARALLEL"]),
        dry_run=env["PULUMI_DRY_RUN"] == "true",
        root_directory=env["PULUMI_ROOT_DIRECTORY"],
    )
)
set_all_config(json.loads(env["PULUMI_CONFIG"]), json.loads(env["PULUMI_CONFIG_SECRET_KEYS"]))
asyncio.run(run_in_stack(lambda: runpy.run_path(sys.argv[1])))

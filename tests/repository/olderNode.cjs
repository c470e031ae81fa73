Object.defineProperty(process.versions, "node", { value: "20.20.2" });

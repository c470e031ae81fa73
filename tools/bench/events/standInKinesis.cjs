// Stands in for Kinesis Data Streams, in a process of its own: takes every record at once and keeps none. It
// shares the processors with what is measured, as a service does not, so it only counts records.
const { createServer } = require("node:http");

const server = createServer((request, response) => {
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => {
    const count = Buffer.concat(parts).latin1Slice().split('"PartitionKey":').length - 1;
    const record = { SequenceNumber: "1", ShardId: "shardId-000000000000" };
    const answer = { FailedRecordCount: 0, Records: Array(count).fill(record) };
    response.writeHead(200, { "content-type": "application/x-amz-json-1.1" }).end(JSON.stringify(answer));
  });
});
server.listen(0, "127.0.0.1", () => process.send(server.address().port));
process.on("disconnect", () => process.exit());

// Stands in for Kinesis Data Streams, in a process of its own: takes every record at once and keeps none.
const { createServer } = require("node:http");

const server = createServer((request, response) => {
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => {
    const { Records = [] } = JSON.parse(Buffer.concat(parts).toString() || "{}");
    const answer = {
      FailedRecordCount: 0,
      Records: Records.map((_, index) => ({ SequenceNumber: `${index}`, ShardId: "shardId-000000000000" })),
    };
    response.writeHead(200, { "content-type": "application/x-amz-json-1.1" }).end(JSON.stringify(answer));
  });
});
server.listen(0, "127.0.0.1", () => process.send(server.address().port));
process.on("disconnect", () => process.exit());

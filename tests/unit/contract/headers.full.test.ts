import { mistakeInRequestHeader, mistakeInResponseHeader } from "../../../sdk/src/contract/formats/http";

describe("The names of headers that a route may change in requests", () => {
  it("are none of those that nobody may set, with _ in the place of - neither, and any others", () => {
    const refused = ["X-Forwarded-For", "x-envoy-original-path", "X-Real-IP", "Forwarded", "Content-Length"];
    for (const name of refused)
      for (const written of [name, name.replaceAll("-", "_"), name.replace("-", "_").toUpperCase()])
        expect(mistakeInRequestHeader(written), written).to.be.a("string");
    for (const name of ["X-Team", "x_team", "X_Real", "forwarded_by"])
      expect(mistakeInRequestHeader(name), name).to.equal(undefined);
    expect(mistakeInResponseHeader("content_length"), "programs that read answers tell them apart").to.equal(
      undefined,
    );
  });
});

/* global Redoc */
// Addresses are relative, so that the page works behind a proxy that adds a path.
Redoc.init(
  "openapi.json",
  {
    hideDownloadButton: false,
    expandResponses: "200,201",
    requiredPropsFirst: true,
    sortTagsAlphabetically: false,
    jsonSampleExpandLevel: 4,
    pathInMiddlePanel: true,
    theme: {
      typography: {
        fontFamily: "system-ui, sans-serif",
        headings: { fontFamily: "system-ui, sans-serif" },
        code: { fontFamily: "ui-monospace, SFMono-Regular, Menlo, monospace" },
      },
      colors: { primary: { main: "#0b5fa5" } },
    },
  },
  document.getElementById("reference"),
);

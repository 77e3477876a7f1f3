import react from "@astrojs/react";

export default { integrations: [react()], telemetry: false };

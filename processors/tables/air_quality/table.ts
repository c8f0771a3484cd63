import { airQuality } from "../../../schemas/feeds/air-quality.ts"
import { monthOf, table } from "../../table.ts"

export default table({
  name: "air_quality",
  feed: airQuality,
  rows: ({ kind, parameters, item, observedAt }) =>
    kind === "gone"
      ? []
      : [
          {
            asked_latitude: Number(parameters.lat),
            asked_longitude: Number(parameters.lon),
            at: item.at,
            latitude: item.latitude,
            longitude: item.longitude,
            us_aqi: item.usAqi,
            european_aqi: item.europeanAqi,
            pm2_5_ug_m3: item.pm25UgPerM3,
            pm10_ug_m3: item.pm10UgPerM3,
            ozone_ug_m3: item.ozoneUgPerM3,
            nitrogen_dioxide_ug_m3: item.nitrogenDioxideUgPerM3,
            sulphur_dioxide_ug_m3: item.sulphurDioxideUgPerM3,
            carbon_monoxide_ug_m3: item.carbonMonoxideUgPerM3,
            observed_at: observedAt,
          },
        ],
  partition: (row) => monthOf(row.at),
})

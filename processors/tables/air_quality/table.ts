import { airQuality } from "../../../schemas/feeds/air-quality.ts"
import { itemTable, monthOf } from "../../table.ts"

export default itemTable({
  name: "air_quality",
  feed: airQuality,
  without: [
    "pm25UgPerM3",
    "pm10UgPerM3",
    "ozoneUgPerM3",
    "nitrogenDioxideUgPerM3",
    "sulphurDioxideUgPerM3",
    "carbonMonoxideUgPerM3",
  ],
  columns: ({ parameters, item }) => ({
    asked_latitude: Number(parameters.lat),
    asked_longitude: Number(parameters.lon),
    pm2_5_ug_m3: item.pm25UgPerM3,
    pm10_ug_m3: item.pm10UgPerM3,
    ozone_ug_m3: item.ozoneUgPerM3,
    nitrogen_dioxide_ug_m3: item.nitrogenDioxideUgPerM3,
    sulphur_dioxide_ug_m3: item.sulphurDioxideUgPerM3,
    carbon_monoxide_ug_m3: item.carbonMonoxideUgPerM3,
  }),
  partition: ({ at }) => monthOf(at),
})

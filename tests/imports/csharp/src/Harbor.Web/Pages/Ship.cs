using Harbor.Ships;

namespace Web.Pages
{
    public class Ship { public IVessel Vessel => null; }
}

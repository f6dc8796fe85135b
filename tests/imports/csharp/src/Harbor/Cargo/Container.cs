namespace Harbor.Cargo
{
    using Harbor.Ships;
    using System.Linq;

    public partial class Container<T>
    {
        public IVessel On { get; set; }
        public delegate void Moved(Crane crane);
    }
}

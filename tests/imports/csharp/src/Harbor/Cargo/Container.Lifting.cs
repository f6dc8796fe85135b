using Harbor.Docks;

namespace Harbor.Cargo
{
    public partial class Container<T>
    {
        public void Lift(Dock dock) => dock.Use($"{"Hidden"}");
    }
}
